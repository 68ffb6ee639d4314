"""Projecting the rows of a matrix: look for the few coordinates that can be nonzero, find the threshold, write.

Long rows are looked at in blocks (`_candidates`); the threshold that solves the problem on a few representatives is a
lower bound of the true one, and what is above it is gathered. Short rows are taken whole.
"""

import numpy as np

from .._shared.bits import all_finite
from .._shared.jit import kernel, summing_kernel
from .._shared.order import largest
from .candidates import SMALL, block_maxima, block_size, gather, keep_above, representatives
from .thresholds import capped_threshold, sum_threshold, topk_threshold


@kernel
def topk_rows(a, bits, k, radius, bias, x):
    """Project rows onto the top-k simplex, or onto the top-k cone if the radius is infinite; False if not finite."""
    n, d = a.shape
    z, where = np.empty(d), np.empty(d, np.int64)
    top, beyond = np.empty(min(k + 1, d)), np.empty(k)
    guess = np.nan
    for i in range(n):
        guess = _like_the_last(a[i], guess, radius / k, 1 / k, radius, bias, x[i])
        if np.isnan(guess):
            finite, guess, _ = topk_row(a[i], bits[i], k, radius, bias, 0.0, x[i], z, where, top, beyond)
            if not finite:
                return False
    return True


@kernel
def _like_the_last(a, guess, cap, slope, radius, bias, x):
    """Project a short row whose sum is the radius, as that of the last row was; its threshold, or NaN if it is not so.

    A batch of similar rows has similar thresholds, and from a good guess a few passes over a short row are less work
    than looking for candidates. `slope` is how fast the cap grows with the sum.
    """
    if not abs(guess) <= 64 * radius or a.size >= SMALL:
        return np.nan
    t = sum_threshold(a, guess, cap, radius, x)
    if not abs(t) <= 64 * radius:  # NaN; or too large for the sum to keep its digits
        return np.nan
    zero, beyond = _beyond(a, t + cap)
    return t if zero == 0 and t + slope * beyond >= bias * radius else np.nan


@summing_kernel
def _beyond(a, end):
    """0 if all is finite, otherwise NaN; and what the coordinates are beyond an end."""
    zero, beyond = 0.0, 0.0
    for i in range(a.size):
        zero += a[i] - a[i]
        v = a[i] - end
        beyond += v if v > 0 else 0.0
    return zero, beyond


@kernel
def topk_row(a, bits, k, radius, bias, offset, x, z, where, top, beyond):
    """Project a + offset; whether it is finite, a threshold for the next row to try, and the sum of the answer.

    If a and the offset were added, the digits by which coordinates differ could be lost; if the answer were, some of
    the sum's.
    """
    size, maxima, m, finite = _look(a, bits, top, z)
    if not finite:
        return False, np.nan, 0.0
    largest(z, m, top)
    u = _zero_or_constant(top, k, radius, bias, offset)
    if u >= 0:
        _write_constant(a, maxima, size, top[k - 1], u, x)
        return True, top[k - 1] - u if u == radius / k else np.nan, k * u
    reach = min(radius, _largest_sum(top[:k], bias, offset))
    low = _just_below(max(top[k - 1] - reach / k, -(k - 1) * (top[0] + offset) - offset))
    if size > 0:
        m = keep_above(z, m, low)
        shift, t, u = topk_threshold(z, m, top, beyond, k, radius, bias, offset, low)
        low = max(low, _just_below(shift + t))
        m = gather(a, maxima, size, low, z, where)
    else:
        m = keep_above(z, m, low)
    shift, t, u = topk_threshold(z, m, top, beyond, k, radius, bias, offset, low)
    total = radius if u == radius / k else _sum(top[:k], shift, t, u, bias, offset)
    _write(a, where[:m] if size > 0 else where[:0], shift, t, total / k, x)
    return True, shift + t if total == radius else np.nan, total


@kernel
def _look(a, bits, top, z):
    """The block size, the block maxima, and in z the coordinates among which the largest are; or all of a few."""
    size = block_size(a.size, top.size)
    if size == 0:
        for i in range(a.size):  # Numba takes seconds to compile z[:d] = a
            z[i] = a[i]
        return 0, a[:0], a.size, all_finite(bits)
    maxima, finite = block_maxima(a, bits, size)
    if not finite:
        return size, maxima, 0, False
    largest(maxima, maxima.size, top)
    return size, maxima, representatives(a, maxima, size, top[-1], z), True


@kernel
def _zero_or_constant(top, k, radius, bias, offset):
    """Cases 1 and 2 of Lemma 3: the value that the k largest share; negative if they do not share one."""
    total = top[:k].sum() + k * offset
    if radius == 0 or total <= 0:
        return 0.0
    u = min(total / (k + bias * k * k), radius / k)
    return u if top.size == k or top[k - 1] - top[k] >= u else -1.0


@kernel
def _sum(top, shift, t, u, bias, offset):
    """The sum of the answer below the radius: k u, and bias * sum is what is left of the mean of the k largest.

    Where nearly k coordinates are at the cap, u comes from a difference that loses digits; what is left does so, too,
    where the bias takes little away.
    """
    if bias * top.size < 1:
        return top.size * u
    left = 0.0
    for j in range(top.size):
        left += top[j] - min(max((top[j] - shift) - t, 0.0), u)
    return (left / top.size + offset) / bias


@kernel
def _largest_sum(top, bias, offset):
    """bias * sum x is what is left of the mean of the k largest once x is taken off, so that the sum is bounded."""
    mean = top.sum() / top.size + offset
    return mean / bias * (1 + 1e-14) if bias > 0 else np.inf


@kernel
def _just_below(t):
    return t - 1e-15 * abs(t)


@kernel
def _write_constant(a, maxima, size, least, u, x):
    if size == 0:
        for i in range(a.size):
            x[i] = u if a[i] >= least else 0.0
        return
    for b in range(maxima.size):
        if maxima[b] >= least:
            for i in range(b * size, min((b + 1) * size, a.size)):
                x[i] = u if a[i] >= least else 0.0


@kernel
def _write(a, where, shift, t, u, x):
    """x = clip(a - t, 0, u), everywhere or where it can be nonzero."""
    if where.size == 0:
        for i in range(a.size):
            x[i] = min(max((a[i] - shift) - t, 0.0), u)
    for j in range(where.size):
        i = where[j]
        x[i] = min(max((a[i] - shift) - t, 0.0), u)


@kernel
def capped_rows(a, bits, cap, radius, bias, x):
    """Project rows onto the capped simplex, or for a negative bias onto sum x = radius; False if not finite."""
    n, d = a.shape
    z, where = np.empty(d), np.empty(d, np.int64)
    guess = np.nan
    fit = radius / cap * (1 + 1e-12) if cap > 0 else np.inf  # so many coordinates have room at the cap
    top = np.empty(int(fit) + 1 if fit < min(d, 64) else 1)
    for i in range(n):
        guess = _like_the_last(a[i], guess, cap, 0.0, radius, bias, x[i])
        if np.isnan(guess):
            finite, guess = _capped_row(a[i], bits[i], cap, radius, bias, x[i], z, where, top, fit < min(d, 64))
            if not finite:
                return False
    return True


@kernel
def _capped_row(a, bits, cap, radius, bias, x, z, where, top, sum_matters):
    size, maxima, m, finite = _look(a, bits, top, z)
    if not finite:
        return False, np.nan
    largest(z, m, top)
    low = 0.0 if bias >= 0 else -np.inf
    if cap == 0 or radius == 0 or top[0] <= low:
        x[:] = 0
        return True, np.nan
    level, reach = top[0], np.inf
    if sum_matters:
        reach = min(cap, radius)
        low, level = max(low, _just_below(top[-1] - reach)), max(low, top[-1])
    if size > 0:
        m = keep_above(z, m, low)
        shift, t = capped_threshold(z, m, low, level, top[0], cap, radius, bias, top[-1], reach)
        low = max(low, _just_below(shift + t))
        m = gather(a, maxima, size, low, z, where)
    else:
        m = keep_above(z, m, low)
    shift, t = capped_threshold(z, m, low, max(low, level), top[0], cap, radius, bias, top[-1], reach)
    if shift == 0 and t > 64 * cap:  # the sum has lost digits; once more, with a shift to the threshold
        low, level = max(low, t - 1e-12 * t), t + 1e-12 * t
        if size > 0:
            m = gather(a, maxima, size, low, z, where)
        else:
            for i in range(a.size):
                z[i] = a[i]
            m = keep_above(z, a.size, low)
        shift, t = capped_threshold(z, m, low, level, top[0], cap, radius, bias, top[-1], np.inf)
    _write(a, where[:m] if size > 0 else where[:0], shift, t, cap, x)
    return True, shift + t if shift + t > bias * radius else np.nan
