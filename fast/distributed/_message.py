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
from ._tasks import WARNING_OF_SIZE, _itself, _on_block, _received_sum, _sum, nbytes

SMALL = 2**17  # bytes: if the arrays of all blocks are smaller, they go with the tasks, and a task adds up several


class Sources:
    """What a graph of tasks holds of the blocks: `graph` makes the delayed ones, and `names` stand for the sources."""

    def __init__(self, client, blocks):
        self.graph, self.names, known = {}, [], []
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
    `tree_sum` has the same order of the sums, and the same errors.
    """
    run, large = uuid.uuid4().hex, _large(arguments, len(blocks))
    sent = [f"sent-{run}-{place}" for place in large]
    graph = dict(sources.graph) | {name: (_itself, arguments[p]) for name, p in zip(sent, large, strict=True)}
    rest = [None if place in large else argument for place, argument in enumerate(arguments)]
    task = functools.partial(_on_one, function, blocks.dtype, len(blocks.vectors[0]), rest, large)
    answers = [f"answer-{run}-{block}" for block in range(len(blocks))]
    for answer, source, vectors, *values in zip(answers, sources.names, blocks.vectors, *per_block, strict=True):
        graph[answer] = (task, source, *vectors, *values, *sent)
    states = answers
    is_small = size * len(blocks) <= SMALL
    if not is_small:
        states = [f"state-{run}-{block}" for block in range(len(blocks))]
        graph |= {state: (operator.getitem, answer, 1) for state, answer in zip(states, answers, strict=True)}
    total = _add_sums(graph, run, answers, ADDED_TOGETHER if is_small else 2)
    with dask.config.set({WARNING_OF_SIZE: "1 TiB"}):  # so that the scheduler keeps what led to the states
        total, *futures = client.get(graph, [total, *states], sync=False)
    copies = [len(client.nthreads()) if place in large else len(blocks) for place in range(len(arguments))]
    traffic.sent += nbytes(per_block) + sum(map(operator.mul, copies, map(nbytes, arguments)))
    return _received_sum(client, total, futures, blocks, traffic), futures


def _large(arguments, n_blocks):
    """Returns the places of the arrays that workers are sent once, and not with each task."""
    arrays = ((place, array) for place, array in enumerate(arguments) if isinstance(array, np.ndarray))
    return [place for place, array in arrays if array.nbytes * n_blocks > SMALL]


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


def _add_sums(graph, run, names, together):
    """Put the tasks of the sums into the graph. Returns the name of the last."""
    add, depth = _sum_of_entries, 0
    while add is _sum_of_entries or len(names) > 1:
        groups = [names[first : first + together] for first in range(0, len(names), together)]
        names = [f"sum-{run}-{depth}-{group}" for group in range(len(groups))]
        graph |= {name: (add, group) for name, group in zip(names, groups, strict=True)}
        add, depth = _sum_of_sums, depth + 1
    return names[0]


def _sum_of_entries(answers):
    return _sum_of_sums([answer[0] for answer in answers])


def _sum_of_sums(sums):
    return added(sums, _sum)
