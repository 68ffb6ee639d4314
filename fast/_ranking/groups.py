"""The kernels of the ranking SVM: the rankings of all groups at once, and the small programme in the dual.

The rows of a group stand together, its positives first. Groups share nothing, so that each may have a thread.
"""

from typing import NamedTuple

import numba
import numpy as np

from .._shared.jit import kernel, parallel_kernel
from .._shared.order import SHORT, heap_sort, insert_all
from .inference import count_ranks, infer, loss_of, rank_by_scores, the_problem


class Groups(NamedTuple):
    """rows[starts[g]:starts[g + 1]] are the samples of group g, the first positives[g] of them its positives."""

    rows: np.ndarray
    starts: np.ndarray
    positives: np.ndarray


@parallel_kernel
def infer_groups(scores, copies, fixed, groups, kind, passed, values):
    """Write (objective, loss) of each group, and by how many of the other class each sample is passed.

    A negative passes so many positives; a positive is passed by so many negatives, which is written with a minus.
    `copies` has room for the scores group by group; `fixed` is the same memory, which nobody writes to.
    """
    for g in numba.prange(len(groups.positives)):
        begin, end = groups.starts[g], groups.starts[g + 1]
        middle = begin + groups.positives[g]
        for k in range(begin, end):
            copies[k] = scores[groups.rows[k]]
        places, ranks = _sort_positives(copies[begin:middle]), np.empty(end - middle, np.int64)
        values[g, 0], values[g, 1] = infer(copies[begin:middle], fixed[middle:end], kind, ranks)
        _write_passed(groups.rows[begin:end], places, ranks, passed)


@kernel
def _sort_positives(scores):
    """Sort in place, the highest first; where each was before."""
    places = np.arange(len(scores))
    if len(scores) > SHORT:
        heap_sort(scores, places, 0, len(scores))
    else:
        insert_all(scores, places, 0, len(scores))
    return places


@kernel
def _write_passed(rows, places, ranks, passed):
    P = len(places)
    before = np.zeros(P + 2, np.int64)
    for k in range(len(ranks)):
        before[ranks[k]] += 1
        passed[rows[P + k]] = P + 1 - ranks[k]
    for i in range(1, P + 1):
        before[i] += before[i - 1]
        passed[rows[places[i - 1]]] = -before[i]


@parallel_kernel
def rank_groups(scores, copies, fixed, groups, kind, passed, losses):
    """The same for the ranking that the scores make, in which a tie counts against the positive."""
    for g in numba.prange(len(groups.positives)):
        begin, end = groups.starts[g], groups.starts[g + 1]
        middle = begin + groups.positives[g]
        for k in range(begin, end):
            copies[k] = scores[groups.rows[k]]
        places, ranks = _sort_positives(copies[begin:middle]), np.empty(end - middle, np.int64)
        rank_by_scores(copies[begin:middle], fixed[middle:end], ranks)
        P, N = middle - begin, end - middle
        ideal = the_problem(copies[begin:middle], N, kind)[1]
        losses[g] = loss_of(count_ranks(ranks, P), P, N, kind, ideal)
        _write_passed(groups.rows[begin:end], places, ranks, passed)
