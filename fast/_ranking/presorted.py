"""Negatives in the order of their scores: their places are known, and only the ranks have to be found.

The best ranks do not fall with the place. So the negatives of one rank are one run of places, and Algorithm 1 finds the
ends of the runs by halving, without a sort. Where ranks change from negative to negative, short parts are ranked by one
pass over negatives and positives, as two sorted lists are merged.

In a short part, the costs lie between two planes, which are linear in step and place and close to each other. Step i
pays if p_i - n is at least the upper plane. No step from i on pays if p_k - n is below the lower plane for all k >= i.
This is one comparison with a running maximum, since the score n is a constant, and so is the place. The few negatives
for which neither holds at some step need the costs themselves. A part with many of them is halved.

Why there are such planes. The cost of step i at place j is m w(i + j), where m is i for AP and 1 otherwise, and w(x) is
the cost of step 1 at place x - 1. For each loss, w is convex and does not rise. For AP it is a multiple of
1/(x - 1) - 1/x, for AUC it is constant. For NDCG it is a multiple of f(x) - f(x + 1) with f = 1/ln. Its second
derivative is positive, since f''(x) = (ln(x)^-2 + 2 ln(x)^-3) / x^2 is a product of falling functions. A convex
function lies below its chord, and at all integers above the line through its values at two neighbouring integers.
For AUC and NDCG these two lines are the planes. For AP, let d be i less the lowest rank, in 0..D, and t be x less the
least x, in 0..T. The product of i and a line has a term in t d, and all others are linear. From t d >= 0,
(T - t)(D - d) >= 0, t (D - d) >= 0 and (T - t) d >= 0 it follows that t d lies between (T d + D t - T D) / 2 and
(T d + D t) / 2. The slopes of both lines are at most 0, so the first bound gives the upper plane, and the second the
lower one.
"""

from typing import NamedTuple

import numpy as np

from reference.problems.checks import LARGEST_NUMBER

from .._shared.jit import borrowing_kernel, kernel, summing_kernel
from .cost import KIND_AP, STEP_ROUNDING, best_rank, cost_bounds, scan_within, step_cost
from .quicksort import STACK_SIZE

UNSORTED, DESCENDING, ASCENDING = 0, 1, 2  # equal scores are allowed in descending order only
COMPARED = 1024  # scores, between two looks at whether the order is broken
SHORT_PART = 64  # negatives; in longer parts the planes are too far apart, in shorter ones their set-up takes long
STEPS_EACH = 8  # in a short part, for each negative; with more, halving takes less time
MOST_OPEN = 1 / 4  # of the negatives of a part; with more, halving takes less time
PLANE_ROUNDING = 16  # times STEP_ROUNDING and the largest term: more than all roundings in comparing with a plane


class Plane(NamedTuple):
    """The plane value + by_step (i - lowest rank) + by_place (j - first place)."""

    value: float
    by_step: float
    by_place: float


@kernel
def sorting_of(n):
    """Returns how the scores are sorted. If they are, they are in range."""
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
    if not (abs(n[0]) <= LARGEST_NUMBER and abs(n[-1]) <= LARGEST_NUMBER):
        return UNSORTED
    return DESCENDING if descending else ASCENDING


@kernel
def rank_descending(n, order, begin, last, low, high, centre, problem, ranks):
    """Rank the negatives begin..last-1 of scores in descending order. Returns their part of sum_ij R_ij (n_j - centre).

    Score k is that of negative order[k]. With None, it is that of negative k. The ranks lie in low..high.
    """
    stack = np.empty((STACK_SIZE, 2), np.int64)  # of each open part, the first on top: its last place, highest rank
    steps, room = np.empty(SHORT_PART, np.int64), np.empty((4, SHORT_PART * STEPS_EACH + 1))
    top, total = 0, 0.0
    stack[0, 0], stack[0, 1] = last, high
    while True:
        end, high = stack[top, 0], stack[top, 1]
        if low < high and begin < end:
            if not _merge(n, begin, end, low, high, problem, steps, room):
                middle = (begin + end) >> 1
                top += 1
                stack[top, 0] = middle
                stack[top, 1] = best_rank(np.float64(n[middle]), middle + 1, low, high, problem)
                continue
            total += _write_steps(n, order, begin, end, steps, low, centre, problem.p.size, ranks)
            begin = end
        # The negative at the end of this part has its highest rank. It is the first of the next part.
        after = min(end + 1, last)
        ranks.counts[high] += after - begin
        part = _write_rank(n, order, begin, after, high, centre, ranks.by_negative)
        total += part * (2 * (high - 1) - problem.p.size)
        if top == 0:
            return total
        begin, low, top = end + 1, high, top - 1


@summing_kernel
def _write_rank(n, order, begin, end, rank, centre, ranks):
    """Write the same rank for all of these negatives. Returns the sum of their scores less the centre."""
    total = 0.0
    if order is None:  # the sum has its own loop: in one loop, its last bits depend on where the arrays are in memory
        for k in range(begin, end):
            ranks[k] = rank
        for k in range(begin, end):
            total += np.float64(n[k]) - centre
    else:
        for k in range(begin, end):
            ranks[order[k]] = rank
            total += np.float64(n[k]) - centre
    return total


@borrowing_kernel
def _write_steps(n, order, begin, end, steps, low, centre, P, ranks):
    """Write the ranks that `_merge` found for a short part. Returns its part of the sum."""
    total = 0.0
    for k in range(begin, end):
        rank = low + steps[k - begin]
        ranks.counts[rank] += 1
        ranks.by_negative[k if order is None else order[k]] = rank
        total += (np.float64(n[k]) - centre) * (2 * (rank - 1) - P)
    return total


@borrowing_kernel
def _merge(n, begin, end, low, high, problem, steps, room):
    """Write the ranks, less `low`, of a short part to `steps`. Returns False if the part has to be halved."""
    count, most, p = end - begin, high - low, problem.p
    if count > SHORT_PART or most > STEPS_EACH * count:
        return False
    size = max(abs(p[low - 1]), abs(p[high - 2]), abs(n[begin]), abs(n[end - 1]))
    upper, lower = _planes(low, high, begin + 1, end, size, problem)
    if (upper.value - lower.value) * most > MOST_OPEN * (p[low - 1] - p[high - 2]) and most > 1:
        return False
    pays, may_pay, if_above, if_below = room[0], room[1], room[2], room[3]
    pays[most] = may_pay[most] = -np.inf
    for d in range(most - 1, -1, -1):
        pays[d] = p[low - 1 + d] - upper.by_step * d
        may_pay[d] = max(may_pay[d + 1], p[low - 1 + d] - lower.by_step * d)
    for k in range(count):
        score = np.float64(n[begin + k])
        if_above[k] = score + upper.value + upper.by_place * k
        if_below[k] = score + lower.value + lower.by_place * k
    k, d, one = np.uint64(0), np.uint64(0), np.uint64(1)  # unsigned, so that no index counts from the end
    while k < np.uint64(count):  # the one branch is rarely taken: processors cannot predict a comparison of scores
        step, possible = np.uint64(pays[d] >= if_above[k]), np.uint64(may_pay[d] >= if_below[k])
        if step < possible:
            stop = d + one
            while may_pay[stop] >= if_below[k]:
                stop += one
            score, place = np.float64(n[begin + np.int64(k)]), begin + 1 + np.int64(k)
            first, last = low + np.int64(d), low + np.int64(stop)
            bounds = cost_bounds(first, last, place, place, problem)
            d = np.uint64(scan_within(score, place, first, last, bounds, problem) - low)
        steps[k] = d
        d += step
        k += one - step
    return True


@borrowing_kernel
def _planes(low, high, first, last, size, problem):
    """Returns Planes above and below the costs of the steps low..high-1 at the places first..last.

    They are so far from the costs that no rounding matters, given the size of the scores.
    """
    _, kind, scale = problem
    least, most, one = low + first, high - 1 + last, np.int64(1)
    T, D, middle = most - least, high - 1 - low, (least + most) >> 1
    above, level = step_cost(one, least - 1, kind, scale), step_cost(one, middle - 1, kind, scale)
    fall = (step_cost(one, most - 1, kind, scale) - above) / max(T, 1)
    slope = step_cost(one, middle, kind, scale) - level
    below = level - slope * (middle - least)
    rounding = STEP_ROUNDING * (T + PLANE_ROUNDING) * above
    if kind != KIND_AP:
        rounding += STEP_ROUNDING * PLANE_ROUNDING * size
        return Plane(above + rounding, fall, fall), Plane(below - rounding, slope, slope)
    rounding = rounding * (high - 1) + STEP_ROUNDING * PLANE_ROUNDING * size
    by_place, lower_by_place = fall * (low + D / 2), slope * (low + D / 2)
    upper = Plane(low * above - fall * T * D / 2 + rounding, above + by_place + fall * T / 2, by_place)
    return upper, Plane(low * below - rounding, below + lower_by_place + slope * T / 2, lower_by_place)
