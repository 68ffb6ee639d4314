"""Algorithm 1 of 002: a segment of negatives is ranked by its median, which limits the ranks of both halves.

A segment is values[begin:end], the scores of some negatives, together with their indices where[begin:end]. Once it is
sorted, values[k] is at place k + shift among all negatives. Their best ranks are known to lie in low..high.
"""

from typing import NamedTuple

import numpy as np

from .._shared.jit import borrowing_inlined, borrowing_kernel, kernel
from .._shared.order import SHORT, first_depth, insert_all, split
from .cost import FEW_STEPS, best_rank, cost_bounds, scan_within

# Each level of the recursion needs one entry. A segment is split by a pivot at most 2 log2(N) + 2 times (see
# `first_depth`), then it is sorted, and halved at most log2(N) times. With N < 2^63 that is less than 192 levels.
STACK_SIZE = 256
SCANNED = 8  # steps for each negative; where there are more, looking for the best rank by halving saves time


class Ranks(NamedTuple):
    """Memory for the result: the rank of each negative (N,), and the number of negatives of each rank (P + 2,)."""

    by_negative: np.ndarray
    counts: np.ndarray


@borrowing_inlined
def assign_rank(where, begin, end, rank, ranks):
    """Give the same rank to a whole segment."""
    ranks.counts[rank] += end - begin
    for k in range(begin, end):
        ranks.by_negative[where[k]] = rank


@borrowing_kernel
def rank_short_segment(values, where, begin, end, shift, low, high, problem, ranks):
    """Sort a short segment, and rank its negatives one after the other, each from the rank of the one before."""
    insert_all(values, where, begin, end)
    few_steps = high - low <= SCANNED * (end - begin)
    bounds = cost_bounds(low, high, begin + shift, end - 1 + shift, problem) if low < high else (0.0, 0.0)
    for k in range(begin, end):
        if few_steps and high - low > FEW_STEPS:
            low = scan_within(values[k], k + shift, low, high, bounds, problem)
        elif low < high:
            low = best_rank(values[k], k + shift, low, high, problem)
        ranks.by_negative[where[k]] = low
        ranks.counts[low] += 1


@kernel
def rank_segment(values, where, begin, end, shift, low, high, problem, ranks):
    """Algorithm 1: split the segment, rank the negative in the middle, and continue in both halves."""
    stack = np.empty((STACK_SIZE, 3), np.int64)  # of each open segment, the first on top: end, highest rank, depth
    stack[0, 0], stack[0, 1], top = end, high, 0
    depth = first_depth(values, begin, end)
    while True:
        end, high = stack[top, 0], stack[top, 1]
        if low < high and end - begin > SHORT:
            middle, depth = split(values, where, begin, end, depth)
            stack[top, 2], top = depth, top + 1
            stack[top, 0] = middle
            stack[top, 1] = best_rank(values[middle], middle + shift, low, high, problem)
            continue
        if low < high:
            rank_short_segment(values, where, begin, end, shift, low, high, problem, ranks)
        else:
            assign_rank(where, begin, end, low, ranks)
        if top == 0:
            break
        begin, low, top = end, high, top - 1
        depth = stack[top, 2]
