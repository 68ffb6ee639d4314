"""Work on all blocks: one task a block, the errors that name it, and the bytes that are sent.

All tasks are functions of their arguments. Dask computes a result again that was lost with a worker. What cannot be
computed again is LostWork, and the caller may start its round anew.
"""

import asyncio
import operator
from dataclasses import dataclass, fields

import dask
import distributed
import numpy as np

from reference.problems import checks

from ._cluster import is_embedded
from ._files import FileBlock

NUMBER = 8  # bytes of a number in the count of what is sent
WARNING_OF_SIZE = "distributed.admin.large-graph-warning-threshold"
LOST = (distributed.KilledWorker, distributed.CancelledError, asyncio.CancelledError, distributed.comm.CommClosedError)


class LostWork(RuntimeError):
    """Workers were lost, together with data that Dask cannot compute again. A round may be started anew."""


@dataclass
class Traffic:
    """The bytes of arrays and numbers that a round sends, if every worker is another process.

    sent      to the workers: an array for all blocks, times their number; the arguments of tasks, for each task
    received  by the driver: what it gathers, and the sums
    between   the workers in a sum: its size, times min(blocks, workers) - 1. At least so many partial sums have to
              move. Dask may move more.

    X in memory and the vectors of its rows are sent once, before the first round, and are not counted.
    """

    sent: int = 0
    received: int = 0
    between: int = 0

    def take(self):
        """Returns a copy, and starts to count from 0 for the next round."""
        taken = Traffic(self.sent, self.received, self.between)
        for field in fields(self):
            setattr(self, field.name, 0)
        return taken


def start_on_blocks(client, blocks, function, *per_block, traffic=None, **common):
    """Returns futures of function(X_b, *vectors_b, *(values[b] for values in per_block), **common) for each block b.

    What the function returns stays on the workers. Values may be futures. A large array for all blocks should be one,
    of `pin`. Arrays may be read-only: a function must not change its arguments.
    """
    if traffic is not None:
        traffic.sent += nbytes(per_block) + len(blocks) * nbytes(common)
    return client.compute(delayed_tasks(blocks, function, per_block, common))


def delayed_tasks(blocks, function, per_block, common):
    """Returns one task for each block, not yet begun: of function(X_b, *vectors_b, *values_b, **common)."""
    task = dask.delayed(_on_block, pure=False)
    rows = zip(blocks.sources, blocks.vectors, *per_block, strict=True)
    return [task(function, source, blocks.dtype, vectors, values, common) for source, vectors, *values in rows]


def _on_block(function, source, dtype, vectors, values, common):
    common = {name: aligned(value) for name, value in common.items()}
    return function(aligned(matrix_of(source, dtype)), *map(aligned, vectors), *map(aligned, values), **common)


def aligned(value):
    """Returns an array, or a CSR matrix, whose numbers are at multiples of their size in memory; else the value.

    Arrays that come from another process may be at any place. NumPy multiplies those without BLAS, several times slower
    and with other roundings, and Numba compiles a kernel for them anew.
    """
    if type(value) is np.ndarray:
        return np.require(value, requirements="A")
    if getattr(value, "format", None) != "csr":
        return value
    arrays = value.data, value.indices, value.indptr
    if all(array.flags.aligned for array in arrays):
        return value
    return type(value)(tuple(map(aligned, arrays)), shape=value.shape)


def matrix_of(source, dtype):
    """Returns the matrix of a block as the methods read it: dense or CSR, in the dtype of all blocks."""
    X = source.read()[0] if isinstance(source, FileBlock) else source
    if type(X) is not np.ndarray or X.dtype != dtype:
        X = checks.features(X)
    return X if X.dtype == dtype else X.astype(dtype)


def pick(client, futures, place):
    """Returns futures of the entry `place` of each result, which is a tuple. They stay on the workers."""
    return client.map(operator.getitem, futures, [place] * len(futures), pure=False)


# --- what is sent --------------------------------------------------------------------------------------------------


def pin(client, values):
    """Returns futures of the values, one each, which survive the loss of all workers.

    Within this process nothing is copied. Otherwise the scheduler keeps a copy of each, as long as the future exists or
    a result that was computed from it: `Client.scatter` keeps none, and what a lost worker held cannot be had again.
    """
    if is_embedded(client):
        return client.scatter(list(values), hash=False)
    with dask.config.set({WARNING_OF_SIZE: "1 TiB"}):  # the copy is wanted
        return [client.submit(_itself, value, pure=False) for value in values]


def _itself(value):
    return aligned(value)  # once, and not in each pass


def gather(client, futures, blocks=None, traffic=None):
    """Returns the results of the futures, one for each block.

    Raises
    ------
    LostWork
        Workers were lost, and Dask cannot compute the results again.
    Exception
        A task failed. The error is that of the first block that failed, of the same type where that is possible, else a
        RuntimeError. Its message names the block and its rows in X, and the row if the error has an attribute `row`.
    """
    try:
        results = client.gather(list(futures))
    except (Exception, asyncio.CancelledError) as error:
        raise_first_error(futures, blocks, error)
    if traffic is not None:
        traffic.received += nbytes(results)
    return results


def nbytes(values):
    """Returns the number of bytes of the arrays and numbers in tuples, lists and dicts. A future counts 0."""
    if isinstance(values, (tuple, list)):
        return sum(map(nbytes, values))
    if isinstance(values, dict):
        return sum(map(nbytes, values.values()))
    if hasattr(values, "indptr"):
        return values.data.nbytes + values.indices.nbytes + values.indptr.nbytes
    if isinstance(values, np.ndarray):
        return values.nbytes
    return NUMBER if isinstance(values, (int, float, np.number)) else 0


# --- errors --------------------------------------------------------------------------------------------------------


def raise_first_error(futures, blocks, error):
    """Raise the error of the first block that failed, which names the block, or LostWork, or the error itself.

    If the work on a block is lost already, no other block is waited for: its workers may never come back.
    """
    ended = [future.done() for future in futures]
    for wait in (False, True):
        for block, future in enumerate(futures):
            found = _error_of(future) if wait or ended[block] else None
            if future.status == "cancelled" or isinstance(found, LOST):
                raise LostWork(f"the work on block {block} was lost with its workers: {found or error}") from error
            if wait and found is not None:
                raise _named(found, block, blocks) from found
    if isinstance(error, (*LOST, TimeoutError)):  # of no task: of the connection to the cluster
        raise LostWork(f"results were lost with their workers: {error}") from error
    raise error


def _error_of(future):
    """Returns the error of a task, which is waited for, or None. A task that was cancelled has none."""
    try:
        return future.exception()
    except LOST as lost:
        return lost


def _named(error, block, blocks):
    """Returns an error of the same type, or a RuntimeError, whose message begins with the block."""
    where, row = f"block {block}", getattr(error, "row", None)
    if blocks is not None and row is not None:
        where += f", row {row} (row {blocks.starts[block] + row} of X)"
    elif blocks is not None:
        where += f" (rows {blocks.starts[block]}..{blocks.starts[block + 1] - 1} of X)"
    message = f"{where}: {error}"
    try:
        named = type(error)(message)
    except Exception:  # its constructor takes other arguments
        named = None
    if named is None or message not in str(named):
        named = RuntimeError(f"{where}: {type(error).__name__}: {error}")
    return named
