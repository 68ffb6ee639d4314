"""The two thresholds of the bipartite simplex {u, v >= 0, sum u = sum v <= radius}.

The projection of (b, c) is u = max(b - t, 0), v = max(c - tau, 0), with t = max b - w and tau = max c - z. The depths w
and z are >= 0. The multiplier of sum u <= radius is t + tau = gap - (w + z), where gap = max b + max c. If it is
negative for depths with full sums, the depths are those of equal sums with w + z = gap. `reference.projections` derives
this.

All points here are relative to their largest coordinate, so that this is 0. The points are overwritten: coordinates
that cannot be positive in the answer are dropped.
"""

import numpy as np

from .jit import borrowing_kernel, summing_kernel

NO_COUNTS = -1.0  # in place of the number of positive coordinates at the last Newton step


@borrowing_kernel
def bipartite_depths(b, b_size, c, c_size, radius, gap):
    """Returns the depths (w, z) for b[:b_size] and c[:c_size]. The radius and the gap are > 0."""
    most = min(radius, gap)
    b_size, w = depth_of_sum(b, b_size, radius, most)
    c_size, z = depth_of_sum(c, c_size, radius, most)
    if w + z > gap:
        w = balanced_depth(b, b_size, c, c_size, gap, max(gap - z, 0.0), w)
        z = gap - w
    return w, z


@borrowing_kernel
def depth_of_sum(a, size, radius, most):
    """Returns (how many coordinates are left, the smaller of `most` and the w with sum max(a + w, 0) = radius).

    The sum is convex in w. So Newton's method from above decreases to the root, and what is not positive stays so.
    """
    w = most
    size = keep_raised(a, size, w)
    while True:
        total, positive = sum_raised(a[:size], w)
        lower = w - (total - radius) / positive
        if not (total > radius and lower < w):
            return size, w
        w = lower
        if 2 * positive < size:
            size = keep_raised(a, size, w)


@borrowing_kernel
def balanced_depth(b, b_size, c, c_size, gap, low, high):
    """Returns the w in low..high with sum max(b + w, 0) = sum max(c + gap - w, 0).

    The difference is increasing and linear between the points where a coordinate becomes positive or 0. A Newton step
    is exact within such a piece. Where it would leave the bracket, the bracket is halved instead.
    """
    w, last_in_u, last_in_v = 0.5 * (low + high), NO_COUNTS, NO_COUNTS
    while True:
        total_u, in_u = sum_raised(b[:b_size], w)
        total_v, in_v = sum_raised(c[:c_size], gap - w)
        step = (total_v - total_u) / (in_u + in_v)
        if step > 0:
            low = w
        elif step < 0:
            high = w
        else:
            return w
        target, last = w + step, w
        is_newton = low < target < high
        w = target if is_newton else low + 0.5 * (high - low)
        if w == last or (is_newton and in_u == last_in_u and in_v == last_in_v):
            return w
        last_in_u, last_in_v = (in_u, in_v) if is_newton else (NO_COUNTS, NO_COUNTS)
        if 2 * in_u < b_size:
            b_size = keep_raised(b, b_size, high)
        if 2 * in_v < c_size:
            c_size = keep_raised(c, c_size, gap - low)


@summing_kernel
def sum_raised(a, w):
    """Returns sum max(a + w, 0) and the number of positive terms."""
    total, positive = 0.0, 0.0
    for i in range(a.size):
        v = a[i] + w
        total += v if v > 0 else 0.0
        positive += 1.0 if v > 0 else 0.0
    return total, positive


@borrowing_kernel
def keep_raised(a, size, w):
    """Move those of a[:size] with a + w > 0 to the front. Returns their number."""
    kept = np.int64(0)
    for i in range(size):
        a[kept] = a[i]
        kept += a[i] + w > 0
    return kept
