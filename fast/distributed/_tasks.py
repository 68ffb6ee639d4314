"""Work on all blocks: one task a block, sums on the workers, and the bytes that are sent.

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

    sent      to the workers: an array of `broadcast`, times their number; the arguments of tasks, for each task
    received  by the driver: what it gathers, and one sum for each `tree_sum`
    between   the workers in `tree_sum`: the size of the sum, times min(blocks, workers) - 1. At least so many partial
              sums have to move. Dask may move more.

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


def run_on_blocks(client, blocks, function, *per_block, traffic=None, **common):
    """Returns [function(X_b, *vectors_b, *(values[b] for values in per_block), **common) for each block b].

    The errors are those of `gather`.
    """
    futures = start_on_blocks(client, blocks, function, *per_block, traffic=traffic, **common)
    return gather(client, futures, blocks, traffic)


def start_on_blocks(client, blocks, function, *per_block, traffic=None, **common):
    """Returns one future for each block: of what `run_on_blocks` returns, which stays on the workers.

    Values may be futures. A large array for all blocks should be the future of `broadcast`. Arrays may be read-only:
    a function must not change its arguments.
    """
    if traffic is not None:
        traffic.sent += nbytes(per_block) + len(blocks) * nbytes(common)
    return client.compute(_delayed_tasks(blocks, function, per_block, common))


def sum_on_blocks(client, blocks, function, *per_block, traffic=None, **common):
    """Returns the sum that `tree_sum` returns, of what `run_on_blocks` returns. Arrays for all blocks are broadcast.

    The driver sends one message and receives one. Dask holds further messages back by some milliseconds each.
    """
    if traffic is not None:
        traffic.sent += nbytes(per_block) + len(client.nthreads()) * nbytes(common)
    common = {name: dask.delayed(value) if type(value) is np.ndarray else value for name, value in common.items()}
    tasks = _delayed_tasks(blocks, function, per_block, common)
    level, add = tasks, dask.delayed(_sum, pure=False)
    while len(level) > 1:
        even = len(level) // 2 * 2
        level = [add(a, b) for a, b in zip(level[:even:2], level[1:even:2], strict=True)] + level[even:]
    total, *futures = client.compute([*level, *tasks])
    return _received_sum(client, total, futures, blocks, traffic)


def _delayed_tasks(blocks, function, per_block, common):
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


def broadcast(client, array, traffic=None):
    """Returns a future of an array for all workers: each copies it when it first needs it, from whichever has it.

    The array must not be changed afterwards. If all workers that have it are lost, Dask sends it again.
    """
    if traffic is not None:
        traffic.sent += nbytes(array) * len(client.nthreads())
    return pin(client, [array])[0]


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


def tree_sum(client, futures, blocks=None, traffic=None, place=None):
    """Returns the sum of the results, or of their entries `place`, by sums of pairs on the workers.

    Summands are arrays, numbers, or lists, which are joined in the order of the blocks, or tuples of these. The order
    of the sums depends on the number of futures only, so that rounding does not depend on the workers. The errors are
    those of `gather`.
    """
    level = list(futures)
    if place is not None:
        even = len(level) // 2 * 2
        pairs = client.map(_sum_of_entries, level[:even:2], level[1:even:2], [place] * (even // 2), pure=False)
        level = pairs + pick(client, level[even:], place)
    while len(level) > 1:
        even = len(level) // 2 * 2
        level = client.map(_sum, level[:even:2], level[1:even:2], pure=False) + level[even:]
    return _received_sum(client, level[0], futures, blocks, traffic)


def _received_sum(client, future, futures, blocks, traffic):
    """Returns the sum of the results of `futures`, which is the result of `future`."""
    try:
        total = client.gather(future)
    except (Exception, asyncio.CancelledError) as error:
        _raise_first_error(futures, blocks, error)
    if traffic is not None:
        traffic.received += nbytes(total)
        traffic.between += nbytes(total) * (min(len(futures), len(client.nthreads())) - 1)
    return total


def _sum_of_entries(a, b, place):
    return _sum(a[place], b[place])


def _sum(a, b):
    return tuple(map(operator.add, a, b)) if isinstance(a, tuple) else a + b


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
        _raise_first_error(futures, blocks, error)
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


def _raise_first_error(futures, blocks, error):
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
