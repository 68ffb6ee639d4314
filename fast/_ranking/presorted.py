"""Negatives that come in the order of their scores: their places are known, and only the ranks have to be found.

The best ranks do not fall with the place. So the negatives of one rank are one run of places, and Algorithm 1 finds the
ends of the runs by halving, without a sort. What it costs beyond that is one pass over memory.
"""

import numpy as np

from .._shared.jit import kernel, summing_kernel
from .cost import best_rank
from .quicksort import STACK_SIZE

UNSORTED, DESCENDING, ASCENDING = 0, 1, 2  # equal scores are allowed in descending order only
COMPARED = 1024  # scores, between two looks at whether the order is broken


@kernel
def sorting_of(n):
    """Returns how the scores are sorted. If they are, they are finite."""
    descending, ascending = True, True
    for begin in range(0, n.size - 1, COMPARED):
        not_falling, not_rising = 0, 0
        for k in range(begin, min(begin + COMPARED, n.size - 1)):
            not_falling += 1 - (n[k] >= n[k + 1])  # NaN breaks any order
            not_rising += 1 - (n[k] < n[k + 1])
        descending &= not_falling == 0
        ascending &= not_rising == 0
        if not (descending or ascending):
            return UNSORTED
    if not (np.isfinite(n[0]) and np.isfinite(n[-1])):
        return UNSORTED
    return DESCENDING if descending else ASCENDING


@kernel
def rank_sorted(n, is_ascending, centre, problem, ranks):
    """Rank negatives whose scores are sorted. Returns sum_ij R_ij (n_j - centre)."""
    stack = np.empty((STACK_SIZE, 2), np.int64)  # of each open part, the first on top: its last place, highest rank
    begin, low, top, total = 0, 1, 0, 0.0
    stack[0, 0], stack[0, 1] = n.size, problem.p.size + 1
    while True:
        end, high = stack[top, 0], stack[top, 1]
        if low < high and begin < end:
            middle = (begin + end) >> 1
            score = np.float64(n[n.size - 1 - middle] if is_ascending else n[middle])
            top += 1
            stack[top, 0], stack[top, 1] = middle, best_rank(score, middle + 1, low, high, problem)
            continue
        # The negative at the end of this part has its highest rank. It is the first of the next part.
        for first, last, rank in ((begin, end, low), (end, min(end + 1, n.size), high)):
            if first < last:
                ranks.counts[rank] += last - first
                first, last = (n.size - last, n.size - first) if is_ascending else (first, last)
                part = _write_rank(n[first:last], rank, centre, ranks.by_negative[first:last])
                total += part * (2 * (rank - 1) - problem.p.size)
        if top == 0:
            return total
        begin, low, top = end + 1, high, top - 1


@summing_kernel
def _write_rank(n, rank, centre, ranks):
    """Write the same rank for all of these negatives. Returns the sum of their scores less the centre."""
    total = 0.0
    for k in range(n.size):
        ranks[k] = rank
        total += np.float64(n[k]) - centre
    return total
