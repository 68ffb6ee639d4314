"""Fits on Dask: more examples than one memory holds, or several machines, with the certificate of `fast`.

It is imported by name only, and needs the extra: pip install .[distributed]

_cluster   the client, and the cluster within this process   _checks   of blocks, with errors that name the block
_blocks    the rows of X in blocks                           _files    blocks of rows in files
_tasks     work on all blocks, and the bytes that are sent   _message   a task on all blocks in one message
_engine    the parts of a top-k SVM on the workers   _checkpoint   the duals of a fit in a file
"""

try:
    import dask.array  # noqa: F401
    import distributed  # noqa: F401
except ImportError as error:
    raise ImportError("fast.distributed needs dask and distributed. Run: pip install .[distributed]") from error

from .topk_svm import fit_topk_svm

__all__ = ["fit_topk_svm"]
