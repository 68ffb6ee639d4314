"""Fits on Dask: more examples than one memory holds, or several machines, with the certificate of `fast`.

It is imported by name only, and needs the extra: ``pip install ".[distributed]"``. The private modules::

    _cluster   the client, and the cluster within this process     _checks       of blocks: errors that name the block
    _blocks    the rows of X in blocks                             _files        blocks of rows in files
    _tasks     work on all blocks, and the bytes that are sent     _message      a task on all blocks in one message
    _engine    of `topk_svm`: the states of its parts              _checkpoint   of `topk_svm`: its duals in a file
    _groups    of `ranking_svm`: which block ranks which group     _hinges       of `ranking_svm`: the share of a block
"""

from reference.problems import checks

checks.require("fast.distributed", "distributed", "dask.array", "distributed")

from .ranking_svm import fit_ranking_svm  # noqa: E402
from .topk_svm import fit_topk_svm  # noqa: E402
from .wsabie import fit_wsabie_ensemble  # noqa: E402

__all__ = ["fit_topk_svm", "fit_ranking_svm", "fit_wsabie_ensemble"]
