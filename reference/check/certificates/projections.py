"""Certificates of projections: their optimality conditions, as one relative number."""

import numpy as np


def project_simplex(x, a, radius=1.0):
    """Returns the KKT residual of `reference.project_simplex`."""
    return project_knapsack(x, a, radius, 0.0, np.inf)


def project_knapsack(x, a, total, lower=0.0, upper=1.0, weights=None):
    """Returns the KKT residual of `reference.project_knapsack`."""
    d = np.shape(a)[-1]
    weights = 1.0 if weights is None else weights
    lower, upper, weights = (np.broadcast_to(np.asarray(v, float), (d,)) for v in (lower, upper, weights))
    return _worst_row(x, a, lambda x, a: _knapsack(x, a, float(total), lower, upper, weights))


def project_capped_simplex(x, a, cap, radius=1.0, bias=0.0):
    """Returns the KKT residual of `reference.project_capped_simplex`."""

    def zero(a):
        return 0.0 if min(cap, radius) == 0 else max(a.max(), 0.0)

    return _worst_row(x, a, lambda x, a: _bounded_sum(x, a, float(cap), 0.0, radius, bias, zero))


def project_topk_cone(x, a, k, bias=0.0):
    """Returns the KKT residual of `reference.project_topk_cone`."""
    return project_topk_simplex(x, a, k, np.inf, bias)


def project_topk_simplex(x, a, k, radius=1.0, bias=0.0):
    """Returns the KKT residual of `reference.project_topk_simplex`."""

    def zero(a):  # Lemma 4
        return 0.0 if radius == 0 else max(np.partition(a, len(a) - k)[len(a) - k :].mean(), 0.0)

    return _worst_row(x, a, lambda x, a: _bounded_sum(x, a, 0.0, 1.0 / k, radius, bias, zero))


def project_bipartite_simplex(pair, b, c, radius=1.0):
    """Returns the KKT residual of `reference.project_bipartite_simplex`."""
    points = [(np.asarray(x), np.asarray(a)) for x, a in zip(pair, (b, c), strict=True)]
    if any(x.shape != a.shape or x.dtype.kind not in "fiu" or not np.isfinite(x).all() for x, a in points):
        return np.inf
    (u, b), (v, c) = ([np.atleast_2d(one).astype(np.float64) for one in point] for point in points)
    return max(_bipartite(*rows, radius) for rows in zip(u, v, b, c, strict=True))


def _bipartite(u, v, b, c, radius):
    """u = max(b - t, 0) and v = max(c - tau, 0), and t + tau >= 0 is the multiplier of sum u <= radius."""
    unit = max(np.abs(values).max() for values in (u, v, b, c)) or 1.0
    zero = max(np.abs(u).max(), np.abs(v).max(), 0.0 if radius == 0 else (b.max() + c.max()) / 2)
    if not u.any() and not v.any():
        return zero / unit
    levels, apart = [], [abs(u.sum() - v.sum()) / max(np.count_nonzero(u), np.count_nonzero(v))]
    for x, a in ((u, b), (v, c)):
        e = int(np.argmax(x))
        apart.append(np.abs(x - np.maximum((a - a[e]) + x[e], 0.0)).max())  # a - t, with the digits of x
        levels.append(a[e] - x[e])
        apart.append(abs(min(0.0, (radius - x.sum()) / np.count_nonzero(x))) if x.any() else 0.0)
    slack = (radius - u.sum()) / max(np.count_nonzero(u), 1)
    return min(zero, max(*apart, abs(min(sum(levels) / 2, slack)))) / unit


def _worst_row(x, a, residual):
    x, a = np.asarray(x), np.asarray(a)
    if x.shape != a.shape or x.dtype.kind not in "fiu" or not np.isfinite(x).all():
        return np.inf
    rows = zip(np.atleast_2d(x).astype(np.float64), np.atleast_2d(a).astype(np.float64), strict=True)
    return max(residual(x, a) / (max(np.abs(a).max(), np.abs(x).max()) or 1.0) for x, a in rows)


def _knapsack(x, a, total, lower, upper, weights):
    # How far the coordinates between their bounds (or one of those on a bound) must move to reach the total.
    missed = abs(weights @ x - total) / max(weights[(x > lower) & (x < upper)].sum(), weights.max())
    apart = [np.abs(x - np.clip(v, lower, upper)).max() for v in _shifted(x, a, lower, upper, weights)]
    return max(min(apart), missed)


def _bounded_sum(x, a, cap, slope, radius, bias, zero):
    """Returns the residual for the sets 0 <= x <= u, sum x <= radius, where u = cap + slope * sum x.

    h = t + slope * sum max(a - t - u, 0) - bias * sum x is the multiplier of sum x <= radius. It must be >= 0, and 0 if
    the sum is smaller. Let P be the number of positive coordinates. If these move by 1, h moves by 1 + bias * P and
    the sum by P. We divide by these numbers to measure both in units of x. At x = 0 other conditions hold, and `zero`
    tests them.
    """
    positive = max(np.count_nonzero(x), 1)
    s = x.sum()
    u = max(cap + slope * s, 0.0)
    residuals = [max(np.abs(x).max(), zero(a))]
    for v in _shifted(x, a, np.zeros(len(a)), np.full(len(a), u), np.ones(len(a)), prefer=bias * s):
        t = a[0] - v[0]
        h = (t + slope * np.maximum(v - u, 0.0).sum() - bias * s) / (1 + bias * positive)
        residuals.append(max(np.abs(x - np.clip(v, 0.0, u)).max(), abs(min(h, (radius - s) / positive))))
    return min(residuals)


def _shifted(x, a, lower, upper, weights, prefer=0.0):
    """Yields a - t weights for two thresholds t that the answer suggests.

    The first is t = (a_e - x_e) / w_e for the coordinate e that is farthest from its bounds. It subtracts a_e first, to
    keep the digits if |a| is much larger than x. The second is for answers with all coordinates on their bounds: it is
    the threshold nearest to `prefer` that the bounds allow.
    """
    inside = np.minimum(x - lower, upper - x)
    e = int(np.argmax(inside))
    yield (a - a[e] * (weights / weights[e])) + x[e] * (weights / weights[e])
    at_lower = x - lower <= upper - x
    least = ((a - lower)[at_lower] / weights[at_lower]).max(initial=-np.inf)
    most = ((a - upper)[~at_lower] / weights[~at_lower]).min(initial=np.inf)
    yield a - min(max(prefer, least), most) * weights
