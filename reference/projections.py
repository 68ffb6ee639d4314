"""Projections onto the simplex, the knapsack and the top-k sets (004, sections 4 and 5), as the paper has them.

Every answer is x = clip(a - t, 0, u) with a threshold t and a cap u; the five functions differ in how they find these.
The sets of the paper are U (coordinates at the cap), M (in the middle) and L (at zero).
"""

from bisect import bisect_left

import numpy as np

from . import contract

__all__ = [
    "project_simplex",
    "project_knapsack",
    "project_capped_simplex",
    "project_topk_cone",
    "project_topk_simplex",
]


def project_simplex(a, radius=1.0):
    """argmin_x 1/2 |a - x|^2  subject to  x >= 0, sum x = radius.

    Parameters
    ----------
    a : array, shape (d,) or (n, d), float32 or float64
        Point to project, or one a row.
    radius : float, >= 0
        What the answer sums to.

    Returns
    -------
    x : array like `a`

    Raises
    ------
    ValueError
        `a` is empty, not finite or not 1-D or 2-D; `radius` is negative or not finite.

    Notes
    -----
    x = max(a - t, 0). If the j largest coordinates are the positive ones, t = (their sum - radius) / j; the right j is
    the last one whose own coordinate is above its t. Sorting costs O(d log d).
    Source: 004, section 4.1 (the knapsack problem with b = 1, l = 0, and no upper bound).

    Examples
    --------
    >>> project_simplex(np.array([0.5, 1.0, -1.0]))
    array([0.25, 0.75, 0.  ])
    """
    a, radius = contract.points(a), contract.nonnegative(radius, "radius")
    return _each_row(a, lambda row: _simplex(row, radius))


def project_knapsack(a, total, lower=0.0, upper=1.0, weights=None):
    """argmin_x 1/2 |a - x|^2  subject to  <weights, x> = total, lower <= x <= upper.

    Parameters
    ----------
    a : array, shape (d,) or (n, d), float32 or float64
        Point to project, or one a row.
    total : float
        What the weighted answer sums to; between <weights, lower> and <weights, upper>.
    lower, upper : float or array (d,)
        Bounds, lower <= upper; -inf and inf are allowed.
    weights : array (d,), > 0, optional
        All 1 if not given.

    Returns
    -------
    x : array like `a`

    Raises
    ------
    ValueError
        `a` is empty, not finite or not 1-D or 2-D; lower > upper; a weight is not positive; `total` cannot be reached.

    Notes
    -----
    x = clip(a - t weights, lower, upper). Kiwiel's variable fixing: forget the bounds, and the equation gives t; clip,
    and see whether the sum is now too large or too small. If too large, t must rise, and the coordinates below their
    lower bounds stay there for good; if too small, those above their upper bounds do. Fix these, and repeat with the
    rest. At most d rounds, a few as a rule; O(d) each.
    Source: 004, section 4.1, which takes the algorithm from its reference [14] (Kiwiel 2008).

    Examples
    --------
    >>> project_knapsack(np.array([0.5, 2.0, -1.0]), total=1.5)
    array([0.5, 1. , 0. ])
    """
    a = contract.points(a)
    total, lower, upper, weights = contract.knapsack(total, lower, upper, weights, a.shape[-1], a.dtype)
    return _each_row(a, lambda row: _knapsack(row, total, lower, upper, weights)[0])


def project_capped_simplex(a, cap, radius=1.0, bias=0.0):
    """argmin_x 1/2 |a - x|^2 + bias/2 (sum x)^2  subject to  0 <= x <= cap, sum x <= radius.

    Parameters
    ----------
    a : array, shape (d,) or (n, d), float32 or float64
        Point to project, or one a row.
    cap : float, >= 0
        Bound of a coordinate; radius / k for the top-k beta (Usunier) loss.
    radius : float, >= 0
        Bound of the sum.
    bias : float, >= 0
        Weight of the squared sum; the SDCA step has 1.

    Returns
    -------
    x : array like `a`

    Raises
    ------
    ValueError
        `a` is empty, not finite or not 1-D or 2-D; `cap`, `radius` or `bias` is negative or not finite.

    Notes
    -----
    If the sum is at its bound the bias is a constant, and this is the knapsack; that is so if its t >= bias * radius.
    Otherwise t = bias * sum x, and the sets U, M, L at which eq. (10) agrees with itself give t. O(d log d).
    Source: 004, section 5, eq. (10), with clip(a - t) where the paper prints clip(x - t).

    Examples
    --------
    >>> project_capped_simplex(np.array([0.5, 2.0, -1.0]), cap=0.5)
    array([0.5, 0.5, 0. ])
    """
    a, cap = contract.points(a), contract.nonnegative(cap, "cap")
    radius, bias = contract.nonnegative(radius, "radius"), contract.nonnegative(bias, "bias")
    return _each_row(a, lambda row: _capped_simplex(row, cap, radius, bias))


def project_topk_cone(a, k, bias=0.0):
    """argmin_x 1/2 |a - x|^2 + bias/2 (sum x)^2  subject to  0 <= x <= (sum x)/k.

    Parameters
    ----------
    a : array, shape (d,) or (n, d), float32 or float64
        Point to project, or one a row.
    k : int in 1..d
        No coordinate may hold more than 1/k of the sum.
    bias : float, >= 0
        Weight of the squared sum.

    Returns
    -------
    x : array like `a`

    Raises
    ------
    ValueError
        `a` is empty, not finite or not 1-D or 2-D; `k` is outside 1..d; `bias` is negative or not finite.

    Notes
    -----
    Lemma 4: x = 0 if the k largest sum to at most 0 (and, for every bias, only then: the squared sum is flat at 0).
    Lemma 3: otherwise either the k largest share one value, or M is not empty and a search over the partitions finds
    the one that solves eq. (7) and satisfies eq. (8). O(d log d + k d).
    Source: 004, section 4.2.

    Examples
    --------
    >>> project_topk_cone(np.array([0.0, 2.0, 3.0, 6.0]), k=3)
    array([1., 3., 4., 4.])
    """
    a, bias = contract.points(a), contract.nonnegative(bias, "bias")
    k = contract.count(k, "k", a.shape[-1])
    return _each_row(a, lambda row: _topk_simplex(row, k, np.inf, bias))


def project_topk_simplex(a, k, radius=1.0, bias=0.0):
    """argmin_x 1/2 |a - x|^2 + bias/2 (sum x)^2  subject to  0 <= x <= (sum x)/k, sum x <= radius.

    Parameters
    ----------
    a : array, shape (d,) or (n, d), float32 or float64
        Point to project, or one a row.
    k : int in 1..d
        No coordinate may hold more than 1/k of the sum.
    radius : float, >= 0
        Bound of the sum.
    bias : float, >= 0
        Weight of the squared sum; the SDCA step has 1.

    Returns
    -------
    x : array like `a`

    Raises
    ------
    ValueError
        `a` is empty, not finite or not 1-D or 2-D; `k` is outside 1..d; `radius` or `bias` is negative or not finite.

    Notes
    -----
    First the zero and the constant case of Lemma 3. Then the knapsack with sum = radius and cap = radius/k, which is
    right if the multiplier of Lemma 5 is >= 0. Otherwise the sum constraint is slack and the top-k cone has the answer.
    O(d log d + k d).
    Source: 004, section 4.3 with Lemmas 3 to 5 and Proposition 4.

    Examples
    --------
    >>> project_topk_simplex(np.array([0.5, 2.0, -1.0]), k=2)
    array([0.5, 0.5, 0. ])
    """
    a, radius = contract.points(a), contract.nonnegative(radius, "radius")
    k, bias = contract.count(k, "k", a.shape[-1]), contract.nonnegative(bias, "bias")
    return _each_row(a, lambda row: _topk_simplex(row, k, radius, bias))


def _each_row(a, project):
    """Project a point, or each row of a matrix, in float64; the answer has the dtype of `a`."""
    if a.ndim == 1:
        return project(a.astype(np.float64)).astype(a.dtype)
    return np.array([project(row) for row in a.astype(np.float64)]).astype(a.dtype)


def _simplex(a, radius):
    a = a - a.max()  # changes t only, and keeps the digits of x where |a| is large beside the radius
    descending = np.sort(a)[::-1]
    t = (np.cumsum(descending) - radius) / np.arange(1, len(a) + 1)
    positive = np.count_nonzero(descending > t)
    return np.maximum(a - t[max(positive, 1) - 1], 0.0)


def _knapsack(a, total, lower, upper, weights):  # x and its threshold t
    x, free, t = np.zeros(len(a)), np.ones(len(a), dtype=bool), 0.0
    while free.any():
        w = weights[free]
        rest = total - weights[~free] @ x[~free]
        t = (w @ a[free] - rest) / (w @ w)
        x[free] = a[free] - t * w
        # Where |a| is large beside the total, x has lost digits; what the sum now lacks says which.
        for _ in range(2):
            correction = (rest - w @ x[free]) / (w @ w)
            x[free], t = x[free] + correction * w, t - correction
        clipped = np.clip(x, lower, upper)
        surplus = weights @ clipped - total
        out = free & (x <= lower if surplus > 0 else x >= upper)
        if surplus == 0 or not out.any():
            break
        x[out], free = clipped[out], free & ~out
    return np.clip(x, lower, upper), t


def _sum_at_radius(a, cap, radius):
    """The knapsack of sections 4 and 5: 0 <= x <= cap, sum x = radius."""
    ones = np.ones(len(a))
    return _knapsack(a, radius, 0 * ones, cap * ones, ones)


def _capped_simplex(a, cap, radius, bias):
    if len(a) * cap > radius:
        x, t = _sum_at_radius(a, cap, radius)
        if t >= bias * radius:
            return x
    return np.clip(a - _capped_threshold(a, cap, bias), 0.0, cap)


def _capped_threshold(a, cap, bias):
    """The t of eq. (10), t = bias * sum clip(a - t, 0, cap): between two of the points at which a set changes."""
    corners = np.unique(np.concatenate([a, a - cap, [-np.inf, np.inf]]))
    after = bisect_left(corners, 0.0, 1, len(corners) - 1, key=lambda t: t - bias * np.clip(a - t, 0.0, cap).sum())
    upper, middle = a - cap >= corners[after], (a - cap <= corners[after - 1]) & (a >= corners[after])
    return bias * (cap * upper.sum() + a[middle].sum()) / (1 + bias * middle.sum())


def _topk_simplex(a, k, radius, bias, offset=0.0):
    """The projection of a + offset: if these were added, the digits by which coordinates differ could be lost."""
    x = _zero_or_constant(a, k, radius, bias, offset)
    if x is not None:
        return x
    if radius == np.inf:
        return _cone_partition(a, k, bias, offset)
    u = radius / k
    x, t = _sum_at_radius(a, u, radius)
    multiplier = offset + t + np.maximum(a - t - u, 0.0).sum() / k - bias * radius  # Lemma 5
    return x if multiplier >= 0 else _cone_partition(a, k, bias, offset)


def _zero_or_constant(a, k, radius, bias, offset):
    """Cases 1 and 2 of Lemma 3: all zero, or the k largest at one value u; None if neither holds."""
    order = np.argsort(-a, kind="stable")
    largest = a[order[:k]]
    total = largest.sum() + k * offset
    if radius == 0 or total <= 0:
        return np.zeros(len(a))
    u = min(total / (k + bias * k**2), radius / k)
    if k < len(a) and a[order[k - 1]] - a[order[k]] < u:
        return None
    x = np.zeros(len(a))
    x[order[:k]] = u
    return x


def _cone_partition(a, k, bias, offset):
    """Case 3 of Lemma 3: of all partitions, the one whose (t, u) of eq. (7) breaks eq. (8) the least.

    In exact arithmetic one does not break it at all. Rounded, it may be that all do, and the search must not give up.
    """
    z = np.concatenate([[np.inf], np.sort(a)[::-1], [-np.inf]])  # z[j] is the j-th largest
    sums = np.concatenate([[0.0], np.cumsum(z[1:-1])])
    best = (np.inf, 0.0, 0.0)
    for U in range(k):
        last = np.arange(k, len(a) + 1)  # the index that ends M
        M, sum_U, sum_M = last - U, sums[U], sums[last] - sums[U]
        D = (k - U) ** 2 + (U + bias * k**2) * M
        u = (M * sum_U + (k - U) * sum_M + k * M * offset) / D
        t = (sum_M - (k - U) * u) / M
        broken = np.max([z[last + 1] - t, t - z[last], z[U + 1] - t - u, t + u - z[U]], axis=0)  # eq. (8): <= 0
        i = np.argmin(broken)
        if broken[i] < best[0]:
            best = (broken[i], t[i], u[i])
        if best[0] <= 0:
            break
    _, t, u = best
    return np.clip(a - t, 0.0, u)
