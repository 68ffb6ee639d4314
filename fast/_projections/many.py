"""The threshold of a row in which many coordinates can be at the cap: pivots decide about them, as in a quickselect."""

import numpy as np

from .._shared.jit import kernel
from .thresholds import UNCERTAIN, WORST_RATIO, Bracket, CappedProblem, capped_threshold, just_below, sum_clipped

FEW = 64  # candidates: Newton's method finds the threshold among them in less time than a pivot takes
WORTH = 8  # a pivot is worth its passes if it decides about one of so many candidates


@kernel
def fixed_sum_threshold(x, cap, radius, candidates):
    """Returns (shift, t) with sum clip(x - shift - t, 0, cap) = radius, for 0 < radius <= x.size * cap.

    The sum at a pivot tells on which side of it the threshold is. This decides that some coordinates are 0 and others
    at the cap, and both leave the candidates. `candidates` is memory for x.size numbers.
    """
    m, left, low, high, dropped = x.size, radius, -np.inf, np.inf, x.size
    for i in range(m):
        candidates[i] = x[i]
    while m > FEW and WORTH * dropped >= m:
        t = _pivot(candidates, m, cap, low, high)
        if not low < t < high:
            break
        if sum_clipped(candidates[:m], t, cap)[0] > left:
            low = t
        else:
            high = t
        kept, capped = _keep_undecided(candidates, m, cap, low, high)
        left -= capped * cap
        dropped, m = m - kept, kept
    shift, t = 0.0, low
    for again in range(2):
        if again:  # t is known, but with few digits: a bracket around it has a shift
            margin = UNCERTAIN * max(abs(t), radius)
            low, high = t - margin, t + margin
            for i in range(x.size):
                candidates[i] = x[i]
            m, capped = _keep_undecided(candidates, x.size, cap, low, high)
            left = radius - capped * cap
        shift, t = _threshold_between(low, high, candidates, m, cap, left)
        if shift != 0 or abs(t) <= WORST_RATIO * cap:
            break
    return shift, t


@kernel
def _threshold_between(low, high, candidates, m, cap, left):
    """Returns (shift, t) with low <= t <= high, where the sum over candidates[:m] is `left`."""
    if m == 0 or left <= 0:
        return 0.0, high
    least, most = candidates[0], candidates[0]
    for i in range(m):
        least, most = min(least, candidates[i]), max(most, candidates[i])
    low, high = max(low, just_below(least - cap)), min(high, most)
    return capped_threshold(
        CappedProblem(cap, left, 0.0, True, False), candidates, m, Bracket(low, high, high, least, cap)
    )


@kernel
def _pivot(candidates, m, cap, low, high):
    """Returns a t at which about half of the candidates are decided: one that puts their median amid the cap."""
    first, middle, last = candidates[0], candidates[m // 2], candidates[m - 1]
    median = max(min(first, middle), min(max(first, middle), last))
    t = median - cap / 2
    if t >= high:
        return median - cap
    return t if t > low else median


@kernel
def _keep_undecided(values, m, cap, low, high):
    """Move those of values[:m] to the front that no threshold in low..high decides.

    Returns their number, and the number of those that are at the cap.
    """
    kept, capped = 0, 0
    for i in range(m):
        v = values[i]
        values[kept] = v
        at_cap = v - high >= cap
        kept += (v > low) & (not at_cap)
        capped += at_cap
    return kept, capped
