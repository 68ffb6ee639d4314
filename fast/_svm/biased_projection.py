"""The biased projection of a dual step (004, section 3.2.1) for one example.

    argmin_x 1/2 |b - x|^2 + bias/2 (sum x)^2   subject to   x in the dual domain of the loss, sum x <= radius.

The answer is x = clip(b - t, 0, u), so it is known from two numbers t and u. Let s = sum x. For a given s this is a
knapsack problem whose cap u(s) is s/k for alpha, radius/k for beta, and min(radius/k, s/(k-1)) for alpha_inclusive. Its
value is convex in s. Let U be the coordinates at the cap; then the slope in s, up to its sign, is
    t + u'(s) sum_U (b - t - u) - bias s.
If this slope is >= 0 at the largest s, the knapsack there is the answer. Otherwise s and u decrease until the slope is
0. Meanwhile t increases and t + u decreases, so each coordinate changes its set at most twice: the search is linear.

The bias is 1 for a hinge, and between 0 and 1 for a smooth one. The smooth hinge itself is a projection with bias 0.
The functions read b in descending order, and only its first `size` entries, which must include every b with x > 0.
"""

import numpy as np

from .._shared.jit import borrowing_inlined, borrowing_kernel
from .hinge import ALPHA, BETA, largest

# Insertion moves each number past all smaller ones. Up to about this length, that is faster than sorting by strides.
LONGEST_INSERTION = 24
ZERO, ONE = np.int64(0), np.int64(1)  # for a literal 0, Numba would compile a callee again


@borrowing_kernel
def dual_thresholds(b, size, kind, k, radius, bias):
    """Returns (reference, t, u) such that x = clip((b - reference) - t, 0, u).

    The reference is subtracted first. For a short example, |b| is large compared with the radius, and b - t alone would
    lose the digits of x.
    """
    # Each part is called in one place only: its body is compiled there.
    is_fixed, cap = kind == BETA or k == 1, radius / k
    reference, t, u = 0.0, 0.0, 0.0
    if not is_fixed:
        most = k if kind == ALPHA else k - 1
        at_corner, reference, t, u = _growing_cap(b, size, most, cap, bias)
        is_fixed = kind != ALPHA and at_corner and reference + t > bias * (most * cap)
    if is_fixed:
        reference, t, u = _fixed_cap(b, size, k, radius, bias)
    return reference, t, u


@borrowing_kernel
def candidates_within_reach(values, n, k, reach, out):
    """Write the values >= (the k-th largest of n values) - reach to `out`, in descending order. Returns their number.

    With reach = radius/k these are all coordinates that can be positive in the answer. For a large k, all are written.
    """
    if k > LONGEST_INSERTION:
        for i in range(n):  # Numba takes seconds to compile out[:n] = values[:n]
            out[i] = values[i]
        _sort_descending(out, n)
        return n
    if k == 1:
        least = largest(values, n) - reach
    else:
        for i in range(k):
            _insert(values[i], out, i, ONE)
        for i in range(k, n):
            if values[i] > out[k - 1]:
                _insert(values[i], out, k - 1, ONE)
        least = out[k - 1] - reach
    size = ZERO
    for i in range(n):  # without a branch, which could not be predicted
        out[size] = values[i]
        size += values[i] >= least
    _sort_descending(out, size)
    return size


@borrowing_inlined
def _insert(value, out, i, stride):
    """Insert a value into the descending sequence ..., out[i - 2 stride], out[i - stride], out[i]; the last is free."""
    while i >= stride and out[i - stride] < value:
        out[i] = out[i - stride]
        i -= stride
    out[i] = value


@borrowing_kernel
def _sort_descending(out, n):
    """Shell's sort. It is plain insertion for small n, and quick to compile."""
    stride = ONE
    while 3 * stride < n and n > LONGEST_INSERTION:
        stride = 3 * stride + 1
    while stride > 0:
        for i in range(stride, n):
            _insert(out[i], out, i, stride)
        stride //= 3


@borrowing_kernel
def _growing_cap(b, size, k, cap, bias):
    """Solve with the cap s/k and s <= k cap. Returns (whether s = k cap, reference, t, u)."""
    reference = b[k - 1]
    at_cap, middle, t = _full_sum(b, size, reference, k, cap)
    above, between = 0.0, 0.0
    for i in range(at_cap):
        above += b[i] - reference
    for i in range(at_cap, at_cap + middle):
        between += b[i] - reference
    slope = reference + t + (above - at_cap * (t + cap)) / k - bias * (k * cap)
    if slope >= 0:
        return True, reference, t, cap
    t, u = _reduce_sum(b, reference, at_cap, middle, above, between, k, bias)
    return False, reference, t, u


@borrowing_kernel
def _reduce_sum(b, reference, at_cap, middle, above, between, k, bias):
    """Reduce s until the slope is 0. Returns (t, u): eq. (7) with the sets of the segment that contains the answer.

    b[:at_cap] are at the cap and sum to `above`, and the next `middle` entries are between 0 and the cap and sum to
    `between`, less the reference each.
    """
    while at_cap + middle > k and at_cap < k:
        missing = k - at_cap
        square = missing * missing / middle + at_cap + bias * (k * k)
        u = (missing * between / middle + above + k * reference) / square
        first, last = b[at_cap] - reference, b[at_cap + middle - 1] - reference
        last_leaves = (between - middle * last) / missing
        first_is_capped = (middle * first - between) / (middle - missing)
        if u >= max(last_leaves, first_is_capped):
            u = max(u, 0.0)
            return (between - missing * u) / middle, u
        middle -= 1
        if last_leaves >= first_is_capped:
            between -= last
        else:
            between -= first
            above += first
            at_cap += 1
    for i in range(at_cap, k):
        above += b[i] - reference
    u = max((above / k + reference) / (1 + bias * k), 0.0)
    return b[k - 1] - reference - u, u


@borrowing_kernel
def _fixed_cap(b, size, k, radius, bias):
    """Solve with the cap radius/k and s <= radius. Returns (reference, t, u)."""
    cap, reference = radius / k, b[k - 1]
    at_cap, middle, t = _full_sum(b, size, reference, k, cap)
    if reference + t >= bias * radius:
        return reference, t, cap
    at_cap, middle, between = 0, 0, 0.0  # the slope is 0 where t = bias s, eq. (10): t decreases from the largest b
    while True:
        t = bias * (between + at_cap * cap) / (1 + bias * middle)
        entering = b[at_cap + middle] if at_cap + middle < size else 0.0
        capped = b[at_cap] - cap if middle > 0 else 0.0
        if not t < max(entering, capped):  # it is NaN where numbers overflowed
            return 0.0, t, cap
        if capped >= entering:
            between -= b[at_cap]
            at_cap += 1
            middle -= 1
        else:
            between += b[at_cap + middle]
            middle += 1


@borrowing_kernel
def _full_sum(b, size, reference, k, cap):
    """Solve sum clip(b - reference - t, 0, cap) = k cap: t decreases from the largest b until the sum is reached.

    Returns (number of coordinates at the cap, number between 0 and the cap, t).
    """
    at_cap, middle, total, t = 0, 0, 0.0, b[0] - reference
    while at_cap < k:
        event = b[at_cap] - reference - cap
        # With none between, the next one enters, also where the cap is smaller than the rounding of b.
        enters = at_cap + middle < size and (middle == 0 or b[at_cap + middle] - reference > event)
        if enters:
            event = b[at_cap + middle] - reference
        if total + (t - event) * middle >= k * cap:
            break
        total += (t - event) * middle
        t = event
        if enters:
            middle += 1
        else:
            at_cap += 1
            middle -= 1
    if middle == 0:
        return at_cap, middle, t
    between = 0.0
    for i in range(at_cap, at_cap + middle):
        between += b[i] - reference
    return at_cap, middle, (between - (k - at_cap) * cap) / middle


@borrowing_kernel
def smooth_hinge(margins, n, kind, k, smoothing, candidates):
    """Returns the smooth loss of one example, given the margins of its n rivals and memory for n numbers.

    With the projection p of the margins h onto the dual domain whose radius is the smoothing, it is
    L(h - p) + |p|^2 / (2 smoothing). This is an upper bound for any p, so rounding errors of p do not grow. h - p has
    the order of h.
    """
    if largest(margins, n) <= 0:
        return 0.0
    size = candidates_within_reach(margins, n, k, smoothing / k, candidates)
    reference, t, cap = dual_thresholds(candidates, size, kind, k, smoothing, 0.0)
    total, last, square, inverse = 0.0, 0.0, 0.0, 1 / smoothing
    for c in range(size):
        p = min(max(candidates[c] - reference - t, 0.0), cap)
        square += p * (p * inverse)
        if c < k:
            total += max(last, 0.0) if kind == BETA else last
            last = candidates[c] - p
    total += last if kind == ALPHA else max(last, 0.0)
    return max(total, 0.0) / k + square / 2
