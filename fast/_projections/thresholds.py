"""The threshold t and the cap u of x = clip(a - t, 0, u), by Newton's method inside a bracket.

Two functions of t decide: the sum of x, and the multiplier h of the constraint sum x <= radius. The answer is the
smallest t at which the sum is at most the radius and h >= 0; both conditions then hold for all larger t. The two
functions are linear between the points at which a coordinate leaves or enters a set (at 0, in the middle, at the cap).
A Newton step is exact within such a piece. Where it would leave the bracket, the bracket is halved instead, so that the
search always ends.

All numbers are float64, and relative to a shift that can be subtracted without rounding.
"""

from typing import NamedTuple

import numpy as np

from .._shared.jit import kernel, summing_kernel
from .candidates import keep_above

STEPS = 2200  # more than the 2098 halvings between the largest and the smallest float
WORST_RATIO = 64  # of |t| to the numbers x = a - t: up to this, the difference loses at most 6 of the 53 bits
UNCERTAIN = 1e-12  # relative: 4500 roundings, more than a threshold has that was found without a shift
NO_PIECE = (-1.0, -1.0)  # in place of two counts that name a piece


class TopKProblem(NamedTuple):
    """Project a + offset onto {0 <= x <= (sum x)/k, sum x <= radius}; `bias` weighs the squared sum.

    The radius of the cone is infinite. The offset is kept apart: added to the point, it could take the digits in which
    coordinates differ.
    """

    k: int
    radius: float
    bias: float
    offset: float


class CappedProblem(NamedTuple):
    """Project onto {0 <= x <= cap, sum x <= radius}, or sum x = radius if the sum is fixed; then the bias is unused.

    `few_fit` tells whether few coordinates can be at the cap. Their number is then less than that of the `largest`.
    """

    cap: float
    radius: float
    bias: float
    sum_is_fixed: bool
    few_fit: bool


class Bracket(NamedTuple):
    """Bounds of a threshold t: low <= t <= high, and t <= level if the sum is the radius.

    anchor - reach is another lower bound. It keeps its digits where the reach is tiny beside the anchor.
    """

    low: float
    level: float
    high: float
    anchor: float
    reach: float


@kernel
def just_below(t):
    """Returns t less a few of its roundings, a safe lower bound where t has been rounded."""
    return t - 1e-15 * abs(t)


@kernel
def _exact_shift(lowest, highest):
    """Returns a number that can be subtracted without rounding from all floats in [lowest, highest] (Sterbenz), or 0.

    Where coordinates are large beside their distances to the threshold, the distances keep their digits only this way.
    """
    if highest > 0 and 2 * lowest >= highest:
        return highest
    if highest < 0 and lowest >= 2 * highest:
        return highest
    return 0.0


@summing_kernel
def sum_clipped(values, t, cap):
    """Returns sum clip(values - t, 0, cap), the number of positive terms and the number of those below the cap."""
    total, positive, inside = 0.0, 0.0, 0.0
    for i in range(values.size):
        v = values[i] - t
        v = v if v > 0 else 0.0
        positive += 1.0 if v > 0 else 0.0
        inside += 1.0 if (v > 0) & (v < cap) else 0.0
        total += v if v < cap else cap
    return total, positive, inside


@kernel
def capped_threshold(problem, candidates, m, bracket):
    """Returns (shift, t) for the capped simplex: x = clip(a - shift - t, 0, cap).

    candidates[:m], which are overwritten, hold all coordinates above the lower end of the bracket.
    """
    cap, radius, bias = problem.cap, problem.radius, problem.bias
    low, high, most = bracket.low, bracket.high, np.inf
    if bracket.level < high:
        total, _, _ = sum_clipped(candidates[:m], bracket.level, cap)
        if not problem.sum_is_fixed and bias * total > bracket.level:
            low = bracket.level
        else:
            high, most = bracket.level, cap
    shift = _exact_shift(low, high)
    for i in range(m):
        candidates[i] = min(candidates[i] - shift, (high - shift) + most)  # a larger one is at the cap, as this one is
    low, high = max(low - shift, bracket.anchor - shift - bracket.reach), high - shift
    t, piece = low, NO_PIECE
    for _ in range(STEPS):
        total, positive, inside = sum_clipped(candidates[:m], t, cap)
        step = total - radius
        if step != 0:
            step = step / inside if inside > 0 else step * np.inf
        if not problem.sum_is_fixed:
            step = max(step, (bias * total - (t + shift)) / (1 + bias * inside))
        if step > 0:
            low = t
            if 2 * positive < m:
                m = keep_above(candidates, m, t)
        elif step < 0:
            high = t
        else:
            break
        target = t + step
        last, t = t, target if low < target < high else low + 0.5 * (high - low)
        if t == last or (t == target and piece == (positive, inside)):
            break
        piece = (positive, inside) if t == target else NO_PIECE  # only a Newton step is exact in its piece
    return shift, t


@summing_kernel
def _sum_above(values, t):
    """Returns sum max(values - t, 0) and the number of positive terms."""
    total, positive = 0.0, 0.0
    for i in range(values.size):
        v = values[i] - t
        total += v if v > 0 else 0.0
        positive += 1.0 if v > 0 else 0.0
    return total, positive


@kernel
def top1_threshold(problem, highest, candidates, m, low):
    """Returns what `topk_threshold` returns, for k = 1, where no coordinate is above the others' cap.

    The sum and the multiplier are convex in t, so Newton's method climbs from the lower bound to the threshold. It ends
    where the same coordinates stay positive.
    """
    radius, bias, shift, last = problem.radius, problem.bias, _exact_shift(low, highest), -1.0
    if shift != 0:
        for i in range(m):
            candidates[i] -= shift
    t = max(low - shift, (highest - shift) - radius)
    while True:
        total, positive = _sum_above(candidates[:m], t)
        step_sum = (total - radius) / positive
        step_h = (bias * total - (t + shift + problem.offset)) / (1 + bias * positive)
        step, is_full = max(step_sum, step_h), step_sum >= step_h
        if positive == last:  # what is left is the rounding of a sum, which was larger at the last t
            return shift, t + step, radius if is_full else total - positive * step
        if not step > 0:
            return shift, t, radius if is_full else total
        if 8 * positive < m:
            m = keep_above(candidates, m, t)
        t, last = t + step, positive


@kernel
def topk_threshold(problem, memory, m, low):
    """Returns (shift, t, u) for the top-k simplex if the k largest differ: x = clip(a - shift - t, 0, u).

    memory.candidates[:m], which are overwritten, hold all coordinates above `low`, a lower bound of the threshold;
    memory.largest holds the k + 1 largest of all. Candidates above the k-th largest are replaced by it, and their
    excess over it is summed apart: where it is huge, the sum keeps its digits. memory.excess[j] is set to the sum of
    largest[i] - largest[k - 1] over i in j..k-1.
    """
    candidates, k, full = memory.candidates, problem.k, problem.radius / problem.k
    kth = memory.largest[k - 1]
    memory.excess[k - 1] = 0.0
    for j in range(k - 2, -1, -1):
        memory.excess[j] = memory.excess[j + 1] + (memory.largest[j] - kth)
    shift = _exact_shift(low, kth)
    for i in range(m):
        candidates[i] = min(candidates[i], kth) - shift
    low, high = max(low - shift, (kth - shift) - full), memory.largest[k] - shift
    t, u, piece = low, full, NO_PIECE
    for _ in range(STEPS):
        total, positive = _sum_above(candidates[:m], t)
        capped, cut, u = _cap_of(k, memory, total, (kth - shift) - t)
        falls = (positive - capped) / (k - capped)  # how fast u falls as t rises
        step_h, step_sum = _newton_steps(problem, t + shift, u, capped, cut, falls)
        step = max(step_h, step_sum)
        if step > 0:
            low = t
            if 2 * positive < m:
                m = keep_above(candidates, m, t)
        elif step < 0:
            high = t
        target = t + step
        last = t
        if step != 0:
            t = target if low < target < high else low + 0.5 * (high - low)
        u = full if step_sum >= step_h else u - falls * (t - last)
        if t == last or (t == target and piece == (positive, float(capped))):
            break
        piece = (positive, float(capped)) if t == target else NO_PIECE  # only a Newton step is exact in its piece
    return shift, t, u


@kernel
def _cap_of(k, memory, total, near):
    """Returns, for a threshold t: how many coordinates are at the cap, the sum of what it cuts off, and the cap u.

    `near` is the k-th largest less t, and `total` the sum of max(min(a, the k-th largest) - t, 0). At most k - 1
    coordinates are at the cap, and they are among the largest.
    """
    largest, excess, kth = memory.largest, memory.excess, memory.largest[k - 1]
    capped, cut = 0, 0.0
    while capped + 1 < k and (largest[capped] - kth + near) * (k - capped) > total - capped * near + excess[capped]:
        cut += largest[capped] - kth
        capped += 1
    u = (total - capped * near + excess[capped]) / (k - capped)
    return capped, cut + capped * (near - u), u


@kernel
def _newton_steps(problem, t, u, capped, cut, falls):
    """Returns the Newton steps in t to the zero of the multiplier h and to the point where the sum is the radius."""
    k, bias = problem.k, problem.bias
    if not falls > 0:  # t is too close to the (k+1)-th largest for floating point
        return -np.inf, -np.inf
    h = problem.offset + t + cut / k - bias * k * u
    step_h = -h / (1 - capped / k + (capped / k + bias * k) * falls)
    return step_h, (u - problem.radius / k) / falls
