"""Conditions of the projections: their optimality conditions, as one relative number that is 0 only at the optimum.

If x = clip(a - t, 0, u) for some threshold t, and the multiplier of the sum has the right sign, then x is optimal. The
threshold is read off the answer, in O(d). The number is relative to the size of the point or of the answer.
"""

import numpy as np

from ..judging.condition import Condition
from ..proofs.rounding import answer_dtype, relative, spacing, tolerance

SPACINGS = 8  # of the smallest numbers by which an answer may be off: below that nothing is judged
ROUNDINGS = 8  # of the sum of the sizes of the terms by which a sum may miss its total
HALVINGS = 200  # of an interval of thresholds
BROKEN = "its optimality conditions are broken by {:.1e}"
RESIDUAL = "KKT residual, relative to the largest entry of the point or of the answer"


def project_simplex(problem, x):
    """x = max(a - t, 0), and the sum is the radius."""
    return _on_hyperplane(problem, x, problem.radius, 0.0, np.inf, 1.0)


def project_knapsack(problem, x):
    """x = clip(a - t weights, lower, upper), and the weighted sum is the total."""
    return _on_hyperplane(problem, x, problem.total, problem.lower, problem.upper, problem.weights)


def project_capped_simplex(problem, x):
    """x = clip(a - t, 0, cap), with the multiplier t - bias * sum x of the sum."""
    cap, radius = problem.cap, problem.radius

    def zero(a):
        return 0.0 if min(cap, radius) == 0 else max(a.max(), 0.0)

    return _each_row(problem, x, lambda x, a: _bounded_sum(x, a, cap, 0.0, radius, problem.bias, zero))


def project_topk_cone(problem, x):
    """As for `project_topk_simplex`, with a sum that nothing bounds."""
    return _below_the_mean(problem, x, np.inf)


def project_topk_simplex(problem, x):
    """x = clip(a - t, 0, u) with u = (sum x)/k, and the multiplier of Lemma 5."""
    return _below_the_mean(problem, x, problem.radius)


def project_bipartite_simplex(problem, u, v):
    """u = max(b - t, 0) and v = max(c - tau, 0), with the multiplier t + tau of their sums."""
    unjudged = SPACINGS * max(spacing(answer_dtype(a)) for a in (problem.b, problem.c))
    rows = zip(*map(_rows, (u, v, problem.b, problem.c)), strict=True)
    worst = np.max([_bipartite(*row, problem.radius, unjudged) for row in rows])
    dtype = np.float32 if np.float32 in (u.dtype, v.dtype) else np.float64
    return [Condition(worst, tolerance(dtype, u.shape[-1] + v.shape[-1]), RESIDUAL, detail=BROKEN.format(worst))]


def _on_hyperplane(problem, x, total, lower, upper, weights):
    d = problem.a.shape[-1]
    lower, upper, weights = (np.broadcast_to(np.asarray(v, float), (d,)) for v in (lower, upper, weights))
    eps = np.finfo(answer_dtype(x)).eps
    return _each_row(problem, x, lambda x, a: _knapsack(x, a, total, lower, upper, weights, eps))


def _below_the_mean(problem, x, radius):
    def zero(a):  # Lemma 4
        return 0.0 if radius == 0 else max(np.partition(a, len(a) - k)[len(a) - k :].mean(), 0.0)

    k = problem.k
    return _each_row(problem, x, lambda x, a: _bounded_sum(x, a, 0.0, 1.0 / k, radius, problem.bias, zero))


def _each_row(problem, x, residual):
    """Returns the largest residual of a row as the only Condition."""
    unjudged, residuals = SPACINGS * spacing(answer_dtype(problem.a)), []
    for row, point in zip(_rows(x), _rows(problem.a), strict=True):
        apart = max(residual(row, point) - unjudged, 0.0)
        residuals.append(relative(apart, max(np.abs(row).max(), np.abs(point).max())))
    worst = np.max(residuals)
    return [Condition(worst, tolerance(x.dtype, x.shape[-1]), RESIDUAL, detail=BROKEN.format(worst))]


def _rows(values):
    return np.atleast_2d(values).astype(np.float64)


def _bipartite(u, v, b, c, radius, unjudged):
    """u = max(b - t, 0) and v = max(c - tau, 0), and t + tau >= 0 is the multiplier of sum u <= radius."""
    unit = max(np.abs(values).max() for values in (u, v, b, c))
    zero = max(np.abs(u).max(), np.abs(v).max(), 0.0 if radius == 0 else (b.max() + c.max()) / 2)
    if not u.any() and not v.any():
        return relative(max(zero - unjudged, 0.0), unit)
    levels, apart = [], [abs(u.sum() - v.sum()) / max(np.count_nonzero(u), np.count_nonzero(v))]
    for x, a in ((u, b), (v, c)):
        e = int(np.argmax(x))
        apart.append(np.abs(x - np.maximum((a - a[e]) + x[e], 0.0)).max())  # a - t, with the digits of x
        levels.append(a[e] - x[e])
        apart.append(abs(min(0.0, (radius - x.sum()) / np.count_nonzero(x))) if x.any() else 0.0)
    slack = (radius - u.sum()) / max(np.count_nonzero(u), 1)
    worst = min(zero, max(*apart, abs(min(sum(levels) / 2, slack))))
    return relative(max(worst - unjudged, 0.0), unit)


def _knapsack(x, a, total, lower, upper, weights, eps):
    # How far the coordinates between their bounds, or one of those on a bound, must move to reach the total. What
    # rounding of a coordinate with a large weight changes in the sum, one with a small weight need not make up for.
    terms, inside, is_even = weights * x, (x > lower) & (x < upper), weights.min() == weights.max()
    missed = max(abs(terms.sum() - total) - (0.0 if is_even else ROUNDINGS * eps * np.abs(terms).sum()), 0.0)
    missed /= weights[inside].sum() if inside.any() else weights.min()
    apart = min(np.abs(x - np.clip(v, lower, upper)).max() for v in _shifted(x, a, lower, upper, weights))
    if not is_even and apart > ROUNDINGS * eps * max(np.abs(x).max(), np.abs(a).max()):
        apart = min(apart, _nearest_threshold(x, a, lower, upper, weights))
    return max(apart, missed)


def _nearest_threshold(x, a, lower, upper, weights):
    """Returns the smallest distance from clip(a - t weights), of all t. It rises on both sides of the best t."""
    levels = (a - x) / weights
    low, high = levels.min(), levels.max()
    for _ in range(HALVINGS):
        t = low + (high - low) / 2
        moved = np.clip(a - t * weights, lower, upper) - x
        if not low < t < high:
            break
        low, high = (t, high) if moved.max() > -moved.min() else (low, t)
    return min(np.abs(np.clip(a - t * weights, lower, upper) - x).max() for t in (low, high))


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
