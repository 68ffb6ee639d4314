"""The dual step of the top-k SVM as two numbers: x = clip(b - t, 0, u) solves the biased projection of 004, 3.2.1.

    argmin_x 1/2 |b - x|^2 + 1/2 (sum x)^2   subject to   x in the dual domain of the loss, sum x <= radius.

Given the sum s, this is a knapsack with cap u(s): s/k for alpha, radius/k for beta, min(radius/k, s/(k-1)) for
alpha_inclusive. Its value is convex in s, and the slope (up to its sign) is, with U the coordinates at the cap,
    t + u'(s) sum_U (b - t - u) - s.
So the knapsack at the largest s is the answer if its slope is >= 0. Otherwise s, and with it u, falls until the slope
is 0: t rises and t + u falls meanwhile, so that each coordinate changes its set at most twice, and the walk is linear.

The functions read b sorted, the largest first, and only its first `size` entries, which must hold every positive x.
"""

from .._shared.jit import kernel

ALPHA, BETA, ALPHA_INCLUSIVE = 0, 1, 2
FEW = 24  # for so many numbers, insertion is the best sort


@kernel
def thresholds(b, size, kind, k, radius):
    """(reference, t, u) such that x = clip((b - reference) - t, 0, u).

    The reference is subtracted first: where |b| is large beside the radius, as it is for short examples, b - t would
    lose the digits of x.
    """
    if kind == BETA or k == 1:
        return _fixed_cap(b, size, k, radius)
    cap = radius / k
    if kind == ALPHA:
        at_corner, reference, t, u = _growing_cap(b, size, k, cap)
        return reference, t, u
    at_corner, reference, t, u = _growing_cap(b, size, k - 1, cap)
    if at_corner and reference + t > (k - 1) * cap:
        return _fixed_cap(b, size, k, radius)
    return reference, t, u


@kernel
def largest(values, n, k, reach, out):
    """Writes the numbers >= (the k-th largest - reach) to `out`, sorted, the largest first; returns how many."""
    if k > FEW:
        for i in range(n):  # Numba takes seconds to compile out[:n] = values[:n]
            out[i] = values[i]
        _sort(out, n)
        return n
    size = 0
    for i in range(n):
        if size < k:
            _insert(values[i], out, size, 1)
            size += 1
        elif values[i] > out[k - 1]:
            _insert(values[i], out, k - 1, 1)
    least, size = out[k - 1] - reach, 0
    for i in range(n):
        if values[i] >= least:
            out[size] = values[i]
            size += 1
    _sort(out, size)
    return size


@kernel
def _insert(value, out, i, stride):
    while i >= stride and out[i - stride] < value:
        out[i] = out[i - stride]
        i -= stride
    out[i] = value


@kernel
def _sort(out, n):
    """Shell's sort, the largest first: insertion where n is small, and quick to compile."""
    stride = 1
    while 3 * stride < n and n > FEW:
        stride = 3 * stride + 1
    while stride > 0:
        for i in range(stride, n):
            _insert(out[i], out, i, stride)
        stride //= 3


@kernel
def _growing_cap(b, size, k, cap):
    """Cap s/k, s <= k cap: whether s = k cap, and the three numbers."""
    reference = b[k - 1]
    at_cap, middle, t = _knapsack(b, size, reference, k, cap)
    above, between = 0.0, 0.0
    for i in range(at_cap):
        above += b[i] - reference
    for i in range(at_cap, at_cap + middle):
        between += b[i] - reference
    slope = reference + t + (above - at_cap * (t + cap)) / k - k * cap
    if slope >= 0:
        return True, reference, t, cap
    t, u = _walk_down(b, reference, at_cap, middle, above, between, k)
    return False, reference, t, u


@kernel
def _walk_down(b, reference, at_cap, middle, above, between, k):
    """(t, u) at which the slope is 0: eq. (7) with the sets of the segment in which it holds."""
    while at_cap + middle > k and at_cap < k:
        missing = k - at_cap
        u = (missing * between / middle + above + k * reference) / (missing * missing / middle + at_cap + k * k)
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
    u = max((above / k + reference) / (1 + k), 0.0)
    return b[k - 1] - reference - u, u


@kernel
def _fixed_cap(b, size, k, radius):
    """Cap radius/k, s <= radius: the three numbers."""
    cap, reference = radius / k, b[k - 1]
    at_cap, middle, t = _knapsack(b, size, reference, k, cap)
    if reference + t >= radius:
        return reference, t, cap
    at_cap, middle, between = 0, 0, 0.0  # t = s, eq. (10): t falls from the largest b
    while True:
        t = (between + at_cap * cap) / (1 + middle)
        entering = b[at_cap + middle] if at_cap + middle < size else 0.0
        capped = b[at_cap] - cap if middle > 0 else 0.0
        if t >= max(entering, capped):
            return 0.0, t, cap
        if capped >= entering:
            between -= b[at_cap]
            at_cap += 1
            middle -= 1
        else:
            between += b[at_cap + middle]
            middle += 1


@kernel
def _knapsack(b, size, reference, k, cap):
    """How many coordinates are at the cap, how many between 0 and it, and the t with sum clip(b - t, 0, cap) = k cap.

    t falls from the largest b until the sum is right.
    """
    at_cap, middle, total, t = 0, 0, 0.0, b[0] - reference
    while at_cap < k:
        event = b[at_cap] - reference - cap
        enters = at_cap + middle < size and b[at_cap + middle] - reference > event
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
