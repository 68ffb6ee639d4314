"""The threshold t of x = clip(a - t, 0, u) by Newton's method inside a bracket.

Both conditions on t, that the sum does not exceed the radius and that its multiplier h is not negative, hold from some
t on, and are linear between the points where a coordinate enters or leaves a set. The answer is the least t at which
both hold. A Newton step is exact within a piece; the bracket catches the one that jumps too far, so that nothing can
fail to be found. Everything is float64, and relative to a shift that costs no rounding.
"""

import numpy as np

from .._shared.jit import kernel, summing_kernel
from .candidates import exact_shift, keep_above

STEPS = 2200  # more than there are halvings between the largest and the smallest float


@summing_kernel
def _sum_above(z, t):
    """sum max(z - t, 0) and the number of positive terms."""
    total, positive = 0.0, 0.0
    for i in range(z.size):
        v = z[i] - t
        total += v if v > 0 else 0.0
        positive += 1.0 if v > 0 else 0.0
    return total, positive


@summing_kernel
def _sum_clipped(z, t, cap):
    """sum clip(z - t, 0, cap), the number of positive terms, and the number of those below the cap."""
    total, positive, inside = 0.0, 0.0, 0.0
    for i in range(z.size):
        v = z[i] - t
        v = v if v > 0 else 0.0
        positive += 1.0 if v > 0 else 0.0
        inside += 1.0 if (v > 0) & (v < cap) else 0.0
        total += v if v < cap else cap
    return total, positive, inside


@summing_kernel
def _clip_into(a, t, cap, x):
    """Write x = clip(a - t, 0, cap); its sum, and the number of coordinates strictly inside."""
    total, inside = 0.0, 0
    for i in range(x.size):
        v = a[i] - t
        w = v if v > 0 else 0.0
        w = w if w < cap else cap
        total += w
        inside += w == v
        x[i] = w
    return total, inside


@kernel
def sum_threshold(a, guess, cap, radius, x):
    """Write x = clip(a - t, 0, cap) with sum x = radius, from a guess of t, and return t.

    Each Newton step writes what it would return, so that three or four passes over a short row do all. NaN if forty do
    not find t to the last digits: the other methods here always do.
    """
    t, low, high, pieces = guess, -np.inf, np.inf, -1
    for _ in range(40):
        total, inside = _clip_into(a, t, cap, x)
        surplus = total - radius
        if abs(surplus) <= 4e-16 * radius:
            return t
        if surplus > 0:
            low = t
        else:
            high = t
        target = t + surplus / inside if inside > 0 else np.inf
        if inside == pieces and abs(target - t) <= 1e-15 * (abs(t) + cap):
            return t
        pieces = inside
        if low < target < high:
            t = target
        elif high == np.inf:
            t += cap
        elif low == -np.inf:
            t -= cap
        else:
            t = 0.5 * (low + high)
    return np.nan


@kernel
def _within(t, low, high):
    """t, or the middle of the bracket if t is not inside."""
    return t if low < t < high else low + 0.5 * (high - low)


@kernel
def capped_threshold(z, m, low, level, high, cap, radius, bias, floor_of, reach):
    """(shift, t) for x = clip(a - t, 0, cap), sum x <= radius; a negative bias asks for sum x = radius, whatever h.

    z[:m], which is overwritten, holds all coordinates above `low`; low <= t <= high, and t <= level if the sum is the
    radius. Another lower bound is floor_of - reach, which keeps its digits where the reach is tiny beside the floor.
    """
    most = np.inf
    if level < high:
        total, _, _ = _sum_clipped(z[:m], level, cap)
        if bias * total > level:
            low = level
        else:
            high, most = level, cap
    shift = exact_shift(low, high)
    for i in range(m):
        z[i] = min(z[i] - shift, (high - shift) + most)  # what is further above is at the cap all the same
    low, high = max(low - shift, floor_of - shift - reach), high - shift
    t, pieces = low, (-1.0, -1.0)
    for _ in range(STEPS):
        total, positive, inside = _sum_clipped(z[:m], t, cap)
        step = total - radius
        if step != 0:
            step = step / inside if inside > 0 else step * np.inf
        if bias >= 0:
            step = max(step, (bias * total - (t + shift)) / (1 + bias * inside))
        if step > 0:
            low = t
            if 2 * positive < m:
                m = keep_above(z, m, t)
        elif step < 0:
            high = t
        else:
            break
        target = t + step
        last, t = t, _within(target, low, high)
        if t == last or (t == target and pieces == (positive, inside)):
            break
        pieces = (positive, inside) if t == target else (-1.0, -1.0)  # only a Newton step is exact in its piece
    return shift, t


@kernel
def topk_threshold(z, m, top, beyond, k, radius, bias, offset, low):
    """(shift, t, u) for x = clip(a - t, 0, u), u = (sum x)/k, sum x <= radius, if the k largest do not share one value.

    What is projected is a + offset, whose threshold is t + offset.

    z[:m], which is overwritten, holds all coordinates above `low`, a lower bound of t; `top` the k + 1 largest of all.
    At most k - 1 coordinates are at the cap, so that one plain sum over z and a walk through `top` tell the cap. These
    few are counted as the k-th largest, plus what they are beyond it: where they are huge, the sum keeps its digits.
    """
    kth = top[k - 1]
    beyond[k - 1] = 0.0
    for j in range(k - 2, -1, -1):
        beyond[j] = beyond[j + 1] + (top[j] - kth)
    shift = exact_shift(low, kth)
    for i in range(m):
        z[i] = min(z[i], kth) - shift
    low, high = max(low - shift, (kth - shift) - radius / k), top[k] - shift
    t, u, pieces = low, radius / k, (-1.0, -1)
    for _ in range(STEPS):
        total, positive = _sum_above(z[:m], t)
        near = (kth - shift) - t
        capped, p = 0, 0.0
        while capped + 1 < k and (top[capped] - kth + near) * (k - capped) > total - capped * near + beyond[capped]:
            p += top[capped] - kth
            capped += 1
        u = (total - capped * near + beyond[capped]) / (k - capped)
        p += capped * (near - u)
        falls = (positive - capped) / (k - capped)  # how fast u falls as t rises
        if falls > 0:
            h = offset + (t + shift) + p / k - bias * k * u
            step_h = -h / (1 - capped / k + (capped / k + bias * k) * falls)
            step_sum = (u - radius / k) / falls
        else:  # t is too close to the (k+1)-th largest for floating point
            step_h = step_sum = -np.inf
        step = max(step_h, step_sum)
        if step > 0:
            low = t
            if 2 * positive < m:
                m = keep_above(z, m, t)
        elif step < 0:
            high = t
        target = t + step
        last, t = t, _within(target, low, high) if step != 0 else t
        u = radius / k if step_sum >= step_h else u - falls * (t - last)
        if t == last or (t == target and pieces == (positive, capped)):
            break
        pieces = (positive, capped) if t == target else (-1.0, -1)
    return shift, t, u
