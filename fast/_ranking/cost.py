"""The cost of a step, and the best rank of one negative, given its score and its place among the negatives.

The symbols of this folder: the P positives have the scores p_1 >= ... >= p_P. The j-th highest of the N negatives is at
place j. The rank r of a negative, in 1..P+1, is one plus the number of positives before it. A step from rank i to rank
i + 1 moves a negative below the i-th positive. Multiplied by P N / 2, the objective grows by (p_i - n) - cost(i, j) if
the negative has score n and place j. The cost is P N / 2 times g_j(i), the discrete derivative of the loss.

The best rank does not fall when n falls, and it does not fall when j grows (Observation 2 of 002). This holds for every
pair (n, j), whether or not a negative has this score and this place. Source: 002.
"""

import math
from typing import NamedTuple

import numpy as np

from .._shared.jit import borrowing_inlined, borrowing_kernel

STEP_ROUNDING = 2.0**-50  # relative error of a step: about seven roundings of 2^-53 in its cost, and one in p_i - n
FEW_STEPS = 4  # up to this many steps are tried one by one, without narrowing them down first
FAR = 64.0  # from this x on, eight terms of the series of ln(1 + 1/x) leave a relative error below STEP_ROUNDING / 2
KIND_AP, KIND_NDCG, KIND_AUC = 0, 1, 2  # how the kernels are told which of the named losses they optimise


class InferenceProblem(NamedTuple):
    """The scores of the positives in descending order, the kind of the loss, and the factor in all of its costs."""

    p: np.ndarray
    kind: int
    scale: float


@borrowing_inlined
def step_cost(i, j, kind, scale):
    """Returns the cost of moving the j-th highest negative below the i-th positive, within a few roundings.

    `scale` is N/2 for AP, P N / (2 sum_i 1 / ln(1 + i)) for NDCG and 1/2 for AUC. For large j, consecutive precisions
    and discounts agree in most of their digits. So each difference is written in a form that does not subtract them.
    """
    if kind == KIND_AUC:
        return scale
    x = float(i + j)
    if kind == KIND_AP:
        return scale * i / ((x - 1.0) * x)
    u = 1.0 / x
    if x < FAR:
        rise = math.log1p(u)
    else:
        rise = u * (1 - u * (1 / 2 - u * (1 / 3 - u * (1 / 4 - u * (1 / 5 - u * (1 / 6 - u * (1 / 7 - u / 8)))))))
    level = math.log(x)
    return scale * rise / (level * (level + rise))


@borrowing_inlined
def first_below(p, n, level, low, high):
    """Returns the first i in low..high-1 with p_i - n < level, or `high` if there is none."""
    while low < high:
        middle = (low + high) >> 1
        if p[middle - 1] - n < level:
            high = middle
        else:
            low = middle + 1
    return low


@borrowing_kernel
def cost_bounds(low, high, first, last, problem):
    """Returns (lower, upper) bounds of the costs of the steps low..high-1 at the places first..last, low < high."""
    _, kind, scale = problem
    if kind == KIND_AP:  # the cost rises until i = j, then it falls; it falls with j
        lower = min(step_cost(low, last, kind, scale), step_cost(high - 1, last, kind, scale))
        upper = step_cost(min(max(first, low), high - 1), first, kind, scale)
    else:
        lower, upper = step_cost(high - 1, last, kind, scale), step_cost(low, first, kind, scale)
    return lower, upper


@borrowing_kernel
def narrow(n, j, low, high, problem):
    """Returns a part (low, high) of the ranks low..high that contains all the best ones.

    The costs of the remaining steps have known bounds. A step pays if p_i - n is at or above the upper bound, and it
    does not pay if p_i - n is below the lower one.
    """
    p = problem.p
    while high - low > FEW_STEPS:
        lower, upper = cost_bounds(low, high, j, j, problem)
        width = high - low
        low = first_below(p, n, upper, low, high)
        high = first_below(p, n, lower, low, high)
        if 2 * (high - low) > width:
            break
    return low, high


@borrowing_inlined
def scan(n, j, low, high, problem):
    """Returns the highest of the best ranks in low..high, for score n and place j, by trying every step.

    `gain` is the sum of the steps since the best rank so far, and `rounding` bounds its error. A rank whose gain is 0
    within this bound ties with the best one, and the higher rank is taken: 1/3 + 1/6 must tie with 1/2. The sum begins
    again at each new best rank, so that large gains do not swallow the digits of small ones.
    """
    p, kind, scale = problem
    best, gain, rounding = low, 0.0, 0.0
    for i in range(low, high):
        cost = step_cost(i, j, kind, scale)
        gain += (p[i - 1] - n) - cost
        if gain >= -rounding:
            best, gain, rounding = i + 1, 0.0, 0.0
        else:  # here gain < 0 < cost, so that cost - gain is |cost| + |gain|
            rounding += (cost - gain) * STEP_ROUNDING
    return best


@borrowing_kernel
def best_rank(n, j, low, high, problem):
    """Returns what `scan` returns, in O(log P) where the costs hardly change with i."""
    if high - low > FEW_STEPS:
        low, high = narrow(n, j, low, high, problem)
    return scan(n, j, low, high, problem)


@borrowing_inlined
def scan_within(n, j, low, high, bounds, problem):
    """Returns what `scan` returns, given bounds of the costs: it computes only the costs that decide."""
    p, kind, scale = problem
    lower, upper = bounds
    best, gain, rounding = low, 0.0, 0.0
    for i in range(low, high):
        rise = p[i - 1] - n
        if rise < lower:
            break
        if rise >= upper and gain == 0:
            best = i + 1
            continue
        cost = step_cost(i, j, kind, scale)
        gain += rise - cost
        if gain >= -rounding:
            best, gain, rounding = i + 1, 0.0, 0.0
        else:
            rounding += (cost - gain) * STEP_ROUNDING
    return best
