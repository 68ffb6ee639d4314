"""The rankings of a range of groups of samples.

The rows of a group are contiguous, with its positives first. Groups share no samples, so that several threads can each
rank a range of them.
"""

from typing import NamedTuple

import numpy as np

from .._shared.jit import kernel
from .._shared.order import SHORT, heap_sort, insert_all
from .inference import count_ranks, infer, loss_of, problem_of, write_ranks_of_scores


class Groups(NamedTuple):
    """Group g has the samples rows[starts[g]:starts[g + 1]]. The first positives[g] of them are its positives."""

    rows: np.ndarray
    starts: np.ndarray
    positives: np.ndarray


@kernel
def put_positives_first(first, last, relevant, rows, groups):
    """Write the Groups first..last - 1, whose samples are rows[starts[g]:starts[g + 1]]. Their order stays the same."""
    for g in range(first, last):
        begin, end, P = groups.starts[g], groups.starts[g + 1], 0
        for k in range(begin, end):
            P += relevant[rows[k]]
        groups.positives[g] = P
        positive, negative = begin, begin + P
        for k in range(begin, end):
            is_positive = np.int64(relevant[rows[k]])
            groups.rows[positive if is_positive else negative] = rows[k]
            positive += is_positive
            negative += 1 - is_positive


@kernel
def write_ranks(first, last, groups, passed):
    """Replace `passed`, as below, by the ranks of the negatives, and by 0 for the positives."""
    for g in range(first, last):
        begin, end, P = groups.starts[g], groups.starts[g + 1], groups.positives[g]
        for k in range(begin, begin + P):
            passed[groups.rows[k]] = 0
        for k in range(begin + P, end):
            passed[groups.rows[k]] = P + 1 - passed[groups.rows[k]]


@kernel
def infer_groups(first, last, scores, copies, fixed, groups, kind, passed, values):
    """Write (objective, loss) of each of the groups first..last - 1, and how many each of their samples passes.

    For a negative this is the number of positives after it. For a positive it is the number of negatives before it,
    with a minus. `copies` is memory for the scores, group by group. `fixed` is a read-only view of the same memory.
    """
    for g in range(first, last):
        begin, end = groups.starts[g], groups.starts[g + 1]
        middle = begin + groups.positives[g]
        for k in range(begin, end):
            copies[k] = scores[groups.rows[k]]
        places, ranks = sort_positives(copies[begin:middle]), np.empty(end - middle, np.int64)
        values[g, 0], values[g, 1] = infer(copies[begin:middle], fixed[middle:end], kind, ranks)
        write_passed(groups.rows[begin:end], places, ranks, passed)


@kernel
def rank_groups(first, last, scores, copies, fixed, groups, kind, passed, losses):
    """Write the loss of each group, and `passed` as above, for the ranking by scores. Ties go against the positive."""
    for g in range(first, last):
        begin, end = groups.starts[g], groups.starts[g + 1]
        middle = begin + groups.positives[g]
        for k in range(begin, end):
            copies[k] = scores[groups.rows[k]]
        places, ranks = sort_positives(copies[begin:middle]), np.empty(end - middle, np.int64)
        write_ranks_of_scores(copies[begin:middle], fixed[middle:end], ranks)
        P, N = middle - begin, end - middle
        ideal = problem_of(copies[begin:middle], N, kind)[1]
        losses[g] = loss_of(count_ranks(ranks, P), P, N, kind, ideal)
        write_passed(groups.rows[begin:end], places, ranks, passed)


@kernel
def sort_positives(scores):
    """Sort in place, the highest score first. Returns the index that each score had before."""
    places = np.arange(len(scores))
    if len(scores) > SHORT:
        heap_sort(scores, places, 0, len(scores))
    else:
        insert_all(scores, places, 0, len(scores))
    return places


@kernel
def write_passed(rows, places, ranks, passed):
    """Write what `infer_groups` says of one group, given the ranks of its negatives and the order of its positives."""
    P = len(places)
    before = np.zeros(P + 2, np.int64)
    for k in range(len(ranks)):
        before[ranks[k]] += 1
        passed[rows[P + k]] = P + 1 - ranks[k]
    for i in range(1, P + 1):
        before[i] += before[i - 1]
        passed[rows[places[i - 1]]] = -before[i]
