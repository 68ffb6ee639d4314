"""Sums over all blocks, by sums of pairs on the workers."""

import asyncio
import operator

import dask
import numpy as np

from ._tasks import delayed_tasks, nbytes, raise_first_error


def sum_on_blocks(client, blocks, function, *per_block, traffic=None, **common):
    """Returns the sum of function(X_b, *vectors_b, *(values[b] for values in per_block), **common) over all blocks b.

    Summands are arrays, numbers, or lists, which are joined in the order of the blocks, or tuples of these. The order
    of the sums depends on the number of blocks only, so that rounding does not depend on the workers. Errors are those
    of `gather`. The driver sends one message and receives one, because Dask holds further ones back by milliseconds.
    """
    if traffic is not None:
        traffic.sent += nbytes(per_block) + len(client.nthreads()) * nbytes(common)
    common = {name: dask.delayed(value) if type(value) is np.ndarray else value for name, value in common.items()}
    tasks = delayed_tasks(blocks, function, per_block, common)
    level, add = tasks, dask.delayed(plus, pure=False)
    while len(level) > 1:
        even = len(level) // 2 * 2
        level = [add(a, b) for a, b in zip(level[:even:2], level[1:even:2], strict=True)] + level[even:]
    total, *futures = client.compute([*level, *tasks])
    return received_sum(client, total, futures, blocks, traffic)


def received_sum(client, future, futures, blocks, traffic):
    """Returns the sum of the results of `futures`, which is the result of `future`."""
    try:
        total = client.gather(future)
    except (Exception, asyncio.CancelledError) as error:
        raise_first_error(futures, blocks, error)
    if traffic is not None:
        traffic.received += nbytes(total)
        traffic.between += nbytes(total) * (min(len(futures), len(client.nthreads())) - 1)
    return total


def plus(a, b):
    """Returns a + b, for tuples entry by entry."""
    return tuple(map(operator.add, a, b)) if isinstance(a, tuple) else a + b
