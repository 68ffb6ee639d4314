"""Rows in blocks: of a dask array, of files, or of an array in memory. The worker that reads a block checks it.

blocks = checked_blocks(client, X)[0].with_vectors(client, y)
total = sum_on_blocks(client, blocks, function)      # of function(X_b, y_b), on the workers
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace

import dask
import dask.array
import distributed
import numpy as np
from scipy import sparse

from reference.problems import checks
from reference.problems.checks.types import Matrix

from ._checks import Facts, blocks_of_text, checked_facts, facts_of
from ._files import NUMPY, UNREADABLE, FileBlock, cut
from ._tasks import gather, pin

Rows = Matrix | Sequence[str | os.PathLike[str]]  # Matrix has the arrays of Dask, too
CHUNK = "array.chunk-size"  # Dask's setting of the size of a block


@dataclass(frozen=True)
class Blocks:
    """The rows of X in blocks, and vectors with one entry a row. A task turns `sources[b]` into the matrix of block b.

    Nothing of X is kept by the workers between two passes: each pass reads it anew.
    """

    sources: tuple  # of a dask array: the delayed block; of a file: FileBlock; of an array in memory: a future
    vectors: tuple  # for each block, the futures of its parts of the vectors
    starts: np.ndarray  # (blocks + 1,): block b holds the rows starts[b]..starts[b + 1] - 1 of X
    d: int
    dtype: np.dtype
    n_classes: int | None = None
    is_sparse: bool = False
    squared_norm: float = 0.0  # of X: it tells data apart

    def __len__(self):
        return len(self.sources)

    @property
    def n(self):
        """The number of rows."""
        return int(self.starts[-1])

    @property
    def counts(self):
        """The number of rows of each block."""
        return np.diff(self.starts)

    def with_vectors(self, client, *vectors):
        """Returns blocks whose tasks are given the parts of these vectors (n,) after X."""
        parts = [pin(client, np.split(vector, self.starts[1:-1])) for vector in vectors]
        return replace(self, vectors=tuple(zip(*parts, strict=True)) if parts else ((),) * len(self))


def checked_blocks(client, X, names=(), *, n_blocks=None):
    """Returns the Blocks of X without vectors, and the vectors (n,) of these names that its files hold, in a dict.

    X is read once in every pass, and is not kept in memory. float32 stays float32 if all blocks have it. All else
    becomes float64, block by block. Nothing is unpickled.

    Parameters
    ----------
    client : distributed.Client
    X : dask array of shape (n, d), in chunks of rows, NumPy or scipy CSR
        A block is a chunk of rows. If columns are chunked, too, each task joins the chunks of its rows.
        The sizes of chunks may be unknown (nan).
    X : list of paths
        Each worker must find the files. The endings are all `.npy`, all `.npz`, or all others, for svmlight text.
        `.npy`: an array of shape (n, d), memory-mapped, in blocks of at most Dask's array.chunk-size.
        `.npz`: an array X, or what scipy.sparse.save_npz writes, and an array for each name. One block a file.
        svmlight text: one block a file. Columns count from 1, unless some file has a column 0, and d is the largest
        number of columns of a file.
    X : array or CSR matrix of shape (n, d)
        It is cut into `n_blocks` blocks of nearly the same number of rows, by default one for each thread of workers.
        Workers that are other processes are sent their blocks once, and the scheduler keeps a copy.

    Raises
    ------
    ValueError
        The message names the block, and the row within the block and within X. A block is empty, not finite, of another
        number of columns than the first, or not real numbers; a squared norm is infinite; a file is missing, of another
        kind than the first, or cannot be read.
    """
    sources = _sources(client, X, names, n_blocks)
    tasks = [dask.delayed(facts_of, pure=False)(source) for source in sources]
    facts = [Facts(*fact) for fact in gather(client, client.compute(tasks))]
    starts, d, dtype = checked_facts(facts, sources)
    if isinstance(sources[0], FileBlock):
        sources = blocks_of_text(sources, facts)
    found = {name: np.concatenate([fact.vectors[name] for fact in facts]) for name in names}
    total = sum(fact.squared_norm for fact in facts)
    return Blocks(tuple(sources), ((),) * len(sources), starts, d, dtype, None, facts[0].is_sparse, total), found


def sent_again(client, X, blocks):
    """Returns the blocks of X. If X is in the memory of the driver, it is sent to the cluster anew."""
    if all(isinstance(source, distributed.Future) for source in blocks.sources):
        return replace(blocks, sources=tuple(_array_blocks(client, X, len(blocks))))
    return blocks


def gathered(client, vector, name):
    """Returns a vector in the memory of the driver."""
    if not isinstance(vector, dask.array.Array):
        return vector
    if vector.ndim != 1:
        raise ValueError(f"{name} must have one dimension, got shape {vector.shape}")
    return np.concatenate(gather(client, client.compute(list(vector.to_delayed()))))


# --- sources -------------------------------------------------------------------------------------------------------


def _sources(client, X, names, n_blocks):
    """Returns what turns into the matrix of a block on a worker, for each block."""
    is_dask = isinstance(X, dask.array.Array)
    is_files = not is_dask and isinstance(X, (list, tuple)) and all(isinstance(x, (str, os.PathLike)) for x in X)
    if isinstance(X, (str, os.PathLike)):
        raise ValueError(f"X must be a list of files, got the single path {checks.brief(X)}")
    if names and not is_files:
        raise ValueError(f"{names[0]} must be given: only files can hold it beside X")
    if n_blocks is not None and (is_dask or is_files):
        raise ValueError(f"n_blocks must be None, got {n_blocks!r}: the chunks or the files of X are its blocks")
    if is_dask:
        return _delayed_blocks(X)
    return _file_blocks(client, X, names) if is_files else _array_blocks(client, X, n_blocks)


def _delayed_blocks(X):
    if X.ndim != 2:
        raise ValueError(f"X must have 2 dimensions, got shape {X.shape}")
    chunks = X.to_delayed()
    if chunks.size == 0:
        raise ValueError(f"X must not be empty, got shape {X.shape}")
    if chunks.shape[1] == 1:
        return list(chunks[:, 0])
    join = dask.delayed(_side_by_side, pure=False)
    return [join(list(row)) for row in chunks]


def _side_by_side(parts):
    if hasattr(parts[0], "tocsr"):
        return sparse.hstack(parts, format="csr")
    return np.hstack(parts)


def _file_blocks(client, paths, names):
    if not paths:
        raise ValueError("X must be a list of files, got an empty one")
    files = [FileBlock(os.fspath(path), tuple(names)) for path in paths]
    for block, file in enumerate(files):
        if file.format != files[0].format:
            raise ValueError(f"X must hold files of one kind, got {file.path} at {block} after {files[0].path}")
    if names and files[0].format == NUMPY:
        raise ValueError(f"{names[0]} must be given: a .npy file holds X only")
    size = dask.utils.parse_bytes(dask.config.get(CHUNK))
    tasks = [client.submit(_cut, file, size, pure=False) for file in files]
    return [block for blocks in gather(client, tasks) for block in blocks]


def _cut(file, size):
    try:
        return cut(file, size)
    except UNREADABLE:  # the check of the block tells what is wrong
        return [file]


def _array_blocks(client, X, n_blocks):
    X = checks.features(X)
    n = X.shape[0]
    if n_blocks is None:
        n_blocks = min(n, sum(client.nthreads().values()))
    n_blocks = checks.count(n_blocks, "n_blocks", n)
    edges = [n * block // n_blocks for block in range(n_blocks + 1)]
    return pin(client, [X[first:last] for first, last in zip(edges, edges[1:], strict=False)])
