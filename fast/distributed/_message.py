"""A run of a task on all blocks in one message to the scheduler: the tasks, the sum of their answers, and new states.

Each message and each task take Dask about a millisecond. A step of all blocks takes hundreds of runs.
"""

import functools
import operator
import uuid
from time import perf_counter

import dask
import numpy as np

from .._svm.parts.local import ADDED_TOGETHER, added
from ._cluster import is_embedded
from ._sums import plus, received_sum
from ._tasks import WARNING_OF_SIZE, _itself, _on_block, gather, nbytes

# Bytes of the arrays of all blocks together. Up to MEDIUM, workers do not exchange arrays with each other: an argument
# goes with each task, and the driver adds the answers. Answers of up to SMALL are added by tasks, each of which takes
# several answers with their states: that is fewer tasks.
MEDIUM, SMALL = 2**21, 2**17


class Sources:
    """What a graph of tasks holds of the blocks: `graph` makes the delayed ones, and `names` stand for the sources.

    `released` are futures that the last run used. Dask is told in a message that they are not needed any more, and
    sends no other message for 10 ms. So they are released after the tasks of the next run were sent. Where the workers
    are in this process, they are released at once, to have the memory.
    """

    def __init__(self, client, blocks):
        self.graph, self.names, self.released, known = {}, [], None, []
        for source in blocks.sources:
            name = source
            if dask.is_dask_collection(source):
                if not any(source.dask is graph for graph in known):
                    known.append(source.dask)
                    self.graph.update(source.dask)
                # A block that is persisted has no task: its future is one that exists.
                name = source.key if source.key in self.graph else client.compute(source)
            self.names.append(name)


def run_together(client, blocks, sources, function, arguments, per_block, size, traffic):
    """Returns (the sum of (array or 0, [facts], seconds) of all blocks, futures).

    function(X_b, *vectors_b, *values_b, arguments=arguments) returns (array or None, facts, state). There is one future
    for each block. It holds (summand, state) if the arrays, of `size` bytes each, are small, and otherwise the state.
    The order of the sums depends on the number of blocks only. Errors are those of `gather`.
    """
    run, large = uuid.uuid4().hex, _large(arguments, len(blocks))
    sent = [f"sent-{run}-{place}" for place in large]
    graph = dict(sources.graph) | {name: (_itself, arguments[p]) for name, p in zip(sent, large, strict=True)}
    rest = [None if place in large else argument for place, argument in enumerate(arguments)]
    task = functools.partial(_on_one, function, blocks.dtype, len(blocks.vectors[0]), rest, large)
    answers = [f"answer-{run}-{block}" for block in range(len(blocks))]
    for answer, source, vectors, *values in zip(answers, sources.names, blocks.vectors, *per_block, strict=True):
        graph[answer] = (task, source, *vectors, *values, *sent)
    if size * len(blocks) <= SMALL:
        states, total = answers, _add_sums(graph, run, answers, _sum_of_entries, ADDED_TOGETHER)
    else:
        states, pieces = ([f"{name}-{run}-{block}" for block in range(len(blocks))] for name in ("state", "piece"))
        for entry, names in enumerate((pieces, states)):
            graph |= {name: (operator.getitem, answer, entry) for name, answer in zip(names, answers, strict=True)}
        total = pieces if size * len(blocks) <= MEDIUM else _add_sums(graph, run, pieces, _sum_of_sums, 2)
    with dask.config.set({WARNING_OF_SIZE: "1 TiB"}):  # so that the scheduler keeps what led to the states
        total, *futures = client.get(graph, [total, *states], sync=False)
    sources.released = None if is_embedded(client) else (per_block, total)
    copies = [len(client.nthreads()) if place in large else len(blocks) for place in range(len(arguments))]
    traffic.sent += nbytes(per_block) + sum(map(operator.mul, copies, map(nbytes, arguments)))
    if isinstance(total, list):
        return _sum_of_sums(gather(client, total, blocks, traffic)), futures
    return received_sum(client, total, futures, blocks, traffic), futures


def _large(arguments, n_blocks):
    """Returns the places of the arrays that workers are sent once, and not with each task."""
    arrays = ((place, array) for place, array in enumerate(arguments) if isinstance(array, np.ndarray))
    return [place for place, array in arrays if array.nbytes * n_blocks > MEDIUM]


def _on_one(function, dtype, n_vectors, rest, large, source, *values):
    """Returns ((array or 0, [facts], seconds), state) of one block, on its worker."""
    begin = perf_counter()
    values, sent = values[: len(values) - len(large)], values[len(values) - len(large) :]
    arguments = list(rest)
    for place, argument in zip(large, sent, strict=True):
        arguments[place] = argument
    vectors, values = values[:n_vectors], values[n_vectors:]
    total, facts, state = _on_block(function, source, dtype, vectors, values, {"arguments": arguments})
    return (0 if total is None else total, [facts], perf_counter() - begin), state


def _add_sums(graph, run, names, add, together):
    """Put the tasks of the sums into the graph: `add` makes the first ones. Returns the name of the last."""
    depth = 0
    while depth == 0 or len(names) > 1:
        groups = [names[first : first + together] for first in range(0, len(names), together)]
        names = [f"sum-{run}-{depth}-{group}" for group in range(len(groups))]
        graph |= {name: (add, group) for name, group in zip(names, groups, strict=True)}
        add, depth = _sum_of_sums, depth + 1
    return names[0]


def _sum_of_entries(answers):
    return _sum_of_sums([answer[0] for answer in answers])


def _sum_of_sums(sums):
    return added(sums, plus)
