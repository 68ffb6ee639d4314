"""The rank of one negative, and Algorithm 1 on negatives whose ranks are known but for a range.

All is multiplied by P N / 2: a negative of score n at place j (the highest negative is at place 1) that steps below the
i-th positive gains (p_i - n) - cost(i, j). Its best rank, one more than the steps it takes, grows as n falls and as j
grows: Observation 2 of the paper, and it holds of any n and j, also where no negative has them. Source: 002.
"""

import math
from typing import NamedTuple

import numpy as np

from .._shared.jit import inlined, kernel
from .._shared.order import SHORT, first_depth, insert_all, split

ROUNDING = 2.0**-50
AP, NDCG, AUC = 0, 1, 2


class Problem(NamedTuple):
    """The positives, in descending order, and what a step costs: `scale` times what the kind of the loss says."""

    p: np.ndarray
    kind: int
    scale: float


class Answer(NamedTuple):
    """Memory for the rank of each negative, and for how many negatives have each rank."""

    ranks: np.ndarray
    counts: np.ndarray


# --- the rank of one negative --------------------------------------------------------------------------------------


@inlined
def cost(i, j, kind, scale):
    """What the j-th negative loses by stepping below the i-th positive: g_j(i) P N / 2, to within a few roundings.

    The harmonic numbers of AP and the discounts of NDCG agree in most digits where j is large: no difference of them
    is taken. `scale` is N/2 for AP, P N / (2 sum_i 1 / ln(1 + i)) for NDCG, 1/2 for AUC.
    """
    if kind == AUC:
        return scale
    x = float(i + j)
    if kind == AP:
        return scale * i / ((x - 1.0) * x)
    u = 1.0 / x
    if x < 64.0:
        rise = math.log1p(u)
    else:  # ln(1 + u), whose next term is below a rounding
        rise = u * (1 - u * (1 / 2 - u * (1 / 3 - u * (1 / 4 - u * (1 / 5 - u * (1 / 6 - u * (1 / 7 - u / 8)))))))
    level = math.log(x)
    return scale * rise / (level * (level + rise))


@inlined
def first_below(p, n, level, low, high):
    """The first i in [low, high) with p_i - n < level, else `high`."""
    while low < high:
        middle = (low + high) >> 1
        if p[middle - 1] - n < level:
            high = middle
        else:
            low = middle + 1
    return low


@kernel
def narrow(n, j, low, high, problem):
    """Ranks [low, high] that still hold all the best, by the sign of single steps.

    Among all steps left, the costs of the dearest and of the cheapest are known; where p_i - n is above the one, the
    step pays, where it is below the other, it does not.
    """
    p, kind, scale = problem
    while high - low > 4:
        if kind == AP:  # rises up to i = j, then falls
            dearest = cost(min(max(j, low), high - 1), j, kind, scale)
            cheapest = min(cost(low, j, kind, scale), cost(high - 1, j, kind, scale))
        else:
            dearest, cheapest = cost(low, j, kind, scale), cost(high - 1, j, kind, scale)
        width = high - low
        low = first_below(p, n, dearest, low, high)
        high = first_below(p, n, cheapest, low, high)
        if 2 * (high - low) > width:
            break
    return low, high


@inlined
def scan(n, j, low, high, problem):
    """The highest maximiser in [low, high] for a negative of score n at place j, by all steps one after the other."""
    p, kind, scale = problem
    best, gain, rounding = low, 0.0, 0.0
    for i in range(low, high):
        price = cost(i, j, kind, scale)
        gain += (p[i - 1] - n) - price
        if gain >= -rounding:  # starts anew, so that large steps do not swallow small ones
            best, gain, rounding = i + 1, 0.0, 0.0
        else:  # the sign of one step is exact, that of a sum is not: 1/3 + 1/6 has to tie with 1/2
            rounding += (price - gain) * ROUNDING
    return best


@inlined
def best_rank(n, j, low, high, problem):
    """What `scan` finds, in O(log P) where the costs are flat."""
    if high - low > 4:
        low, high = narrow(n, j, low, high, problem)
    return scan(n, j, low, high, problem)


# --- order ---------------------------------------------------------------------------------------------------------


# --- Algorithm 1 ---------------------------------------------------------------------------------------------------


@inlined
def write(where, begin, end, rank, answer):
    """Give a segment its rank."""
    answer.counts[rank] += end - begin
    for k in range(begin, end):
        answer.ranks[where[k]] = rank


@kernel
def walk(values, where, begin, end, shift, low, high, problem, answer):
    """Sort a short segment and rank its negatives one by one, each from the rank of the last one on."""
    insert_all(values, where, begin, end)
    for k in range(begin, end):
        if low < high:
            low = best_rank(values[k], k + shift, low, high, problem)
        answer.ranks[where[k]] = low
        answer.counts[low] += 1


@kernel
def refine(values, where, begin, end, shift, low, high, problem, answer):
    """Algorithm 1 on values[begin:end], whose places are indices + shift: split, rank, and again in both halves."""
    stack = np.empty((256, 3), np.int64)  # where right halves begin, of which rank; they end where the one below begins
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
            walk(values, where, begin, end, shift, low, high, problem, answer)
        else:
            write(where, begin, end, low, answer)
        if top == 0:
            break
        begin, low, top = end, high, top - 1
        depth = stack[top, 2]
