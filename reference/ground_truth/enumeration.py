"""Projections and multiclass updates for a few coordinates: every case is tried in exact rational arithmetic.

A float is a fraction, so no tolerance is needed. Each coordinate is at its lower bound, strictly between
its bounds, or at its upper bound. For each of these 3^d cases the optimality conditions are linear equations, and the
case is the right one if their solution also satisfies the inequalities. This gives the answer where a quadratic
programme in floating point fails, such as for 1e9 beside 1.
"""

from fractions import Fraction
from itertools import accumulate, product

import numpy as np

from ..problems import checks

MOST_COORDINATES = 6  # 3^6 = 729 cases


def project_simplex(a, radius=1.0):
    """``argmin_x 1/2 |a - x|^2  subject to  x >= 0, sum x = radius``."""
    return project_knapsack(a, checks.nonnegative(radius, "radius"), 0.0, np.inf)


def project_knapsack(a, total, lower=0.0, upper=1.0, weights=None):
    """``argmin_x 1/2 |a - x|^2  subject to  <weights, x> = total, lower <= x <= upper``."""
    a = checks.points(a)
    total, lower, upper, weights = checks.knapsack(total, lower, upper, weights, a.shape[-1], a.dtype)
    bounds = [_exact(lower), _exact(upper)]
    return _rows(a, lambda row: _knapsack(row, Fraction(total), *bounds, _exact(weights)))


def project_capped_simplex(a, cap, radius=1.0, bias=0.0):
    """``argmin_x 1/2 |a - x|^2 + bias/2 (sum x)^2  subject to  0 <= x <= cap, sum x <= radius``."""
    cap, radius = Fraction(checks.nonnegative(cap, "cap")), Fraction(checks.nonnegative(radius, "radius"))
    bias = Fraction(checks.nonnegative(bias, "bias"))
    return _rows(checks.points(a), lambda row: _sum_at_most(row, radius, bias, cap=lambda s: cap, slope=Fraction(0)))


def project_topk_cone(a, k, bias=0.0):
    """``argmin_x 1/2 |a - x|^2 + bias/2 (sum x)^2  subject to  0 <= x <= (sum x)/k``."""
    a, bias = checks.points(a), Fraction(checks.nonnegative(bias, "bias"))
    k = checks.count(k, "k", a.shape[-1])
    return _rows(a, lambda row: _sum_at_most(row, None, bias, cap=lambda s: s / k, slope=Fraction(1, k)))


def project_topk_simplex(a, k, radius=1.0, bias=0.0):
    """``argmin_x 1/2 |a - x|^2 + bias/2 (sum x)^2  subject to  0 <= x <= (sum x)/k, sum x <= radius``."""
    a, bias = checks.points(a), Fraction(checks.nonnegative(bias, "bias"))
    k, radius = checks.count(k, "k", a.shape[-1]), Fraction(checks.nonnegative(radius, "radius"))
    return _rows(a, lambda row: _sum_at_most(row, radius, bias, cap=lambda s: s / k, slope=Fraction(1, k)))


def project_bipartite_simplex(b, c, radius=1.0):
    """``argmin 1/2 |u - b|^2 + 1/2 |v - c|^2  subject to  u, v >= 0, sum u = sum v <= radius``."""
    (b, c), radius = checks.two_points(b, c), Fraction(checks.nonnegative(radius, "radius"))
    pairs = zip(np.atleast_2d(checks.points(b, "b")), np.atleast_2d(checks.points(c, "c")), strict=True)
    u, v = zip(*(_bipartite(_exact(row), _exact(other), radius) for row, other in pairs), strict=True)
    return np.array(u, b.dtype).reshape(b.shape), np.array(v, c.dtype).reshape(c.shape)


def squish_column(z, lower=-np.inf, upper=np.inf):
    """``argmin_x |z - x|^2  subject to  x_i <= x_0, lower <= x_i <= upper``."""
    z, (lower, upper) = checks.points(z, "z"), _exact(checks.interval(lower, upper))
    return _rows(z, lambda row: _squish(row, lower, upper))


def multiclass_update(A, x, y, *, margin=1.0, variant="pa", aggressiveness=1.0, k=1):
    """``argmin_B 1/2 |B - A|^2 + penalty(loss of B)``: scores, the projection of the violations and B are all exact."""
    A, x, y, norm = checks.model_and_example(A, x, y)
    A, rule = checks.finite_array(A, "A"), checks.update_rule(len(A), norm, margin, variant, aggressiveness, k)
    if norm == 0:
        return A.copy()
    B, x = [_exact(row) for row in A], _exact(x)
    norm = sum(v * v for v in x)
    scores = [sum(w * v for w, v in zip(row, x, strict=True)) for row in B]
    rivals = [j for j in range(len(B)) if j != y]
    c = [(scores[j] - scores[y] + Fraction(rule.margin)) / norm for j in rivals]
    C = Fraction(rule.aggressiveness)
    bias = 1 + 1 / (2 * C * norm) if rule.variant == "pa2" else Fraction(1)
    radius = C if rule.variant == "pa1" else None
    lowered = _sum_at_most(c, radius, bias, cap=lambda s: s / rule.k, slope=Fraction(1, rule.k))
    for j, step in [*((j, -step) for j, step in zip(rivals, lowered, strict=True)), (y, sum(lowered))]:
        B[j] = [w + step * v for w, v in zip(B[j], x, strict=True)]
    return np.array([[float(w) for w in row] for row in B]).astype(A.dtype)


def _bipartite(b, c, radius):
    """Returns u and v. The positive coordinates are the largest ones, so each number of them is tried."""
    if radius == 0 or max(b) + max(c) <= 0:
        return [0.0] * len(b), [0.0] * len(c)
    t, tau = _threshold(b, radius), _threshold(c, radius)
    if t + tau < 0:
        tops = product(enumerate(_sums_of_largest(b), start=1), enumerate(_sums_of_largest(c), start=1))
        levels = ((first - second) / (i + j) for (i, first), (j, second) in tops)
        t = next(level for level in levels if sum(_above(b, level)) == sum(_above(c, -level)))
        tau = -t
    return [float(value) for value in _above(b, t)], [float(value) for value in _above(c, tau)]


def _threshold(a, radius):
    """Returns the t with sum max(a - t, 0) = radius."""
    levels = ((total - radius) / k for k, total in enumerate(_sums_of_largest(a), start=1))
    return next(t for t in levels if sum(_above(a, t)) == radius)


def _above(a, t):
    return [value - t if value > t else Fraction(0) for value in a]


def _sums_of_largest(a):
    """Yields the sums of the 1, 2, ..., len(a) largest."""
    return accumulate(sorted(a, reverse=True))


def _squish(z, lower, upper):
    """Squish z_0 with its j largest others, for each j, and clip. Returns the closest of these feasible columns."""
    others = sorted(z[1:], reverse=True)
    tops = [_clip((z[0] + sum(others[:j])) / (j + 1), lower, upper) for j in range(len(z))]
    columns = [[top, *(_clip(v, lower, top) for v in z[1:])] for top in tops]
    return min(columns, key=lambda x: sum((v - w) ** 2 for v, w in zip(z, x, strict=True)))


def _rows(a, project):
    """Project a point, or each row of a matrix, as fractions. Returns an array like `a`."""
    if a.shape[-1] > MOST_COORDINATES:
        raise ValueError(f"a must have at most {MOST_COORDINATES} coordinates, got {a.shape[-1]}")
    rows = [[float(v) for v in project(_exact(row))] for row in a.reshape(-1, a.shape[-1])]
    return np.array(rows).reshape(a.shape).astype(a.dtype)


def _exact(values):
    """Returns floats as fractions, and None for an infinite bound."""
    return [Fraction(float(v)) if np.isfinite(v) else None for v in values]


def _knapsack(a, total, lower, upper, weights):
    """Returns x_i = clip(a_i - t w_i, l_i, u_i) for a t with <w, x> = total; None stands for no bound."""
    # A total that rounding took just outside the range that the bounds allow is replaced by the end of the range.
    least, most = (None if None in b else sum(w * v for w, v in zip(weights, b, strict=True)) for b in (lower, upper))
    total = total if least is None else max(total, least)
    total = total if most is None else min(total, most)
    for where in product("LMU", repeat=len(a)):
        low, middle, high = ([i for i, w in enumerate(where) if w == part] for part in "LMU")
        if any(lower[i] is None for i in low) or any(upper[i] is None for i in high):
            continue
        rest = total - sum(weights[i] * lower[i] for i in low) - sum(weights[i] * upper[i] for i in high)
        if middle:
            thresholds = [(sum(weights[i] * a[i] for i in middle) - rest) / sum(weights[i] ** 2 for i in middle)]
        elif rest == 0:
            thresholds = [(a[i] - lower[i]) / weights[i] for i in low] + [(a[i] - upper[i]) / weights[i] for i in high]
        else:
            continue
        for t in thresholds:
            x = [_clip(v - t * w, lo, up) for v, w, lo, up in zip(a, weights, lower, upper, strict=True)]
            if sum(w * v for w, v in zip(weights, x, strict=True)) == total:
                return x
    raise AssertionError("one of all cases must satisfy the optimality conditions")


def _clip(value, lower, upper):
    """Returns the value clipped to bounds; None stands for no bound."""
    value = value if lower is None or value > lower else lower
    return value if upper is None or value < upper else upper


def _sum_at_most(a, radius, bias, cap, slope):
    """Returns x = clip(a - t, 0, cap(s)), s = sum x <= radius, with cap(s) = cap(0) + slope s, that is optimal.

    The multiplier of s <= radius is h = t + slope * sum_U (a - t - cap) - bias s, with U the coordinates at the cap. It
    is 0 if s < radius, else >= 0. The coordinates of x have the order of those of a, so only the cases that split a in
    this order are tried. A radius of None means no bound of the sum.
    """
    order, ends = sorted(range(len(a)), key=lambda i: a[i], reverse=True), range(len(a) + 1)
    for capped, last in ((i, j) for i in ends for j in ends if i <= j):
        high, middle = order[:capped], order[capped:last]
        for s, t in _candidates(a, middle, high, radius, bias, cap, slope):
            u = cap(s)
            x = [_clip(v - t, Fraction(0), u) for v in a]
            h = t + slope * sum(max(v - t - u, 0) for v in a) - bias * s
            if s >= 0 and sum(x) == s and ((h == 0 and (radius is None or s <= radius)) or (h >= 0 and s == radius)):
                return x
    if sum(sorted(a, reverse=True)[: int(1 / slope)] if slope else [max(v, 0) for v in a]) <= 0:
        return [Fraction(0)] * len(a)
    raise AssertionError("one of all cases must satisfy the optimality conditions")


def _candidates(a, middle, high, radius, bias, cap, slope):
    """Yields the (s, t) at which the equations of one case hold: sum x = s, and h = 0 or s = radius."""
    free, capped, base = len(middle), len(high), cap(Fraction(0))
    sum_middle, sum_high = sum(a[i] for i in middle), sum(a[i] for i in high)
    # sum x = s:   (1 - capped slope) s + free t = sum_middle + capped base
    # h = 0:       (-bias - capped slope^2) s + (1 - capped slope) t = -slope (sum_high - capped base)
    A, B, C = 1 - capped * slope, Fraction(free), sum_middle + capped * base
    D, E, F = -bias - capped * slope**2, A, -slope * (sum_high - capped * base)
    ends = [v - shift for v in a for shift in (0, cap(radius) if radius is not None else 0)]
    if radius is not None:
        yield from ((radius, t) for t in ([(C - A * radius) / B] if free else ends))
    determinant = A * E - B * D
    if determinant != 0:
        yield (C * E - B * F) / determinant, (A * F - C * D) / determinant
    elif free == 0 and A == 0 and D != 0:  # exactly k coordinates are at the cap, and an interval of t solves
        s = F / D
        yield from ((s, v - shift) for v in a for shift in (0, cap(s)))
