r"""Projections onto the simplex, the knapsack and the top-k sets, as in the paper.

Every answer is :math:`x = \text{clip}(a - t, 0, u)` with a threshold t and an upper bound u; the knapsack has weights
and lower bounds, too. The functions differ in how they find t and u. The paper splits the coordinates into three sets:
U (at the upper bound), M (in the middle) and L (at zero). The bipartite simplex is a set of pairs (u, v), with a
threshold for each of the two.

`problems/projections.py` describes the arguments.

Source: Paper 004 (Lapin, Hein, Schiele: Top-k Multiclass SVM, 2015), sections 4 and 5.
"""

from __future__ import annotations

from bisect import bisect_left

import numpy as np

from ._projections.bipartite import bipartite_row
from ._projections.knapsack import knapsack_row, sum_at_radius
from ._projections.topk_cone import cone_partition, zero_or_constant
from .problems import checks
from .problems import projections as problems
from .problems.checks.types import Array, Floats

__all__ = [
    "project_simplex",
    "project_knapsack",
    "project_capped_simplex",
    "project_topk_cone",
    "project_topk_simplex",
    "project_bipartite_simplex",
]

NO_RADIUS = np.inf  # in place of the radius: the sum is not bounded, and the set is the top-k cone


@checks.documented_by(problems.project_simplex)
def project_simplex(a: Array, radius: float = 1.0, *, n_jobs: int = 1) -> Floats:
    r"""Returns the nearest point of the simplex.

    .. math::

        \arg\min_x \;\; & \tfrac12 \|x - a\|^2 \\
        \text{subject to} \;\; & x \ge 0, \;\; \sum_j x_j = \text{radius}

    Notes
    -----
    The answer is :math:`x = \max(a - t, 0)` with a threshold t. If the j largest coordinates of a are positive in x,
    then t = (their sum - radius) / j. The right j is the largest one for which the j-th largest coordinate is above
    this t. Sorting costs O(d log d).
    """
    a, radius, _ = problems.project_simplex(a, radius, n_jobs=n_jobs)
    return _each_row(a, lambda row: _simplex(row, radius))


@checks.documented_by(problems.project_knapsack)
def project_knapsack(
    a: Array, total: float, lower: float | Array = 0.0, upper: float | Array = 1.0, weights: Array | None = None, *,
    n_jobs: int = 1,
) -> Floats:  # fmt: skip
    r"""Returns the nearest point that has a given weighted sum and lies between two bounds.

    .. math::

        \arg\min_x \;\; & \tfrac12 \|x - a\|^2 \\
        \text{subject to} \;\; & \langle \text{weights}, x \rangle = \text{total}, \;\;
        \text{lower} \le x \le \text{upper}

    Notes
    -----
    This is the knapsack problem of section 4.1, solved by the variable fixing of its reference [14]. The answer is
    x = clip(a - t weights, lower, upper) with a threshold t. Each round drops the bounds, solves for t,
    and clips. If the weighted sum is too large, t must rise, and coordinates at lower bounds stay there. If it is too
    small, those at upper bounds do. At most d rounds, usually a few, of O(d) each.
    """
    a, total, *bounds, _ = problems.project_knapsack(a, total, lower, upper, weights, n_jobs=n_jobs)
    lower, upper, weights = (np.broadcast_to(each, a.shape[-1:]) for each in bounds)
    return _each_row(a, lambda row: knapsack_row(row, total, lower, upper, weights)[0])


@checks.documented_by(problems.project_capped_simplex)
def project_capped_simplex(a: Array, cap: float, radius: float = 1.0, bias: float = 0.0, *, n_jobs: int = 1) -> Floats:
    r"""Returns the nearest point with entries in 0..cap and a bounded sum, where a bias may penalise the sum.

    .. math::

        \arg\min_x \;\; & \tfrac12 \|x - a\|^2 + \tfrac{\text{bias}}{2} \left( \sum_j x_j \right)^2 \\
        \text{subject to} \;\; & 0 \le x \le \text{cap}, \;\; \sum_j x_j \le \text{radius}

    Notes
    -----
    This is the projection of section 5, where cap = radius / k; the SDCA step has the bias 1. If sum x = radius, the
    problem is a knapsack, and its threshold is t >= bias * radius. Otherwise t = bias * sum x,
    and t follows from the one split into U, M and L that equation (10) reproduces. The cost is O(d log d).

    The answer is clip(a - t, 0, cap), where the paper prints clip(x - t).
    """
    a, cap, radius, bias, _ = problems.project_capped_simplex(a, cap, radius, bias, n_jobs=n_jobs)
    return _each_row(a, lambda row: _capped_simplex(row, cap, radius, bias))


@checks.documented_by(problems.project_topk_cone)
def project_topk_cone(a: Array, k: int, bias: float = 0.0, *, n_jobs: int = 1) -> Floats:
    r"""Returns the nearest point with no entry above 1/k of the sum, where a bias may penalise the sum.

    .. math::

        \arg\min_x \;\; & \tfrac12 \|x - a\|^2 + \tfrac{\text{bias}}{2} \left( \sum_j x_j \right)^2 \\
        \text{subject to} \;\; & 0 \le x_i \le \tfrac1k \sum_j x_j

    Notes
    -----
    Lemma 4 with more: x = 0 if and only if the k largest coordinates of a sum to at most 0. This condition is necessary
    with a bias, too, whose term has no slope at 0; so no fallback is needed. Lemma 3: otherwise
    either the k largest coordinates of x share one value, or M is not empty. In the latter case a search finds the
    partition that solves equation (7) and satisfies equation (8). The cost is O(d log d + k d).
    """
    a, k, bias, _ = problems.project_topk_cone(a, k, bias, n_jobs=n_jobs)
    return _each_row(a, lambda row: _topk_simplex(row, k, NO_RADIUS, bias))


@checks.documented_by(problems.project_topk_simplex)
def project_topk_simplex(a: Array, k: int, radius: float = 1.0, bias: float = 0.0, *, n_jobs: int = 1) -> Floats:
    r"""Returns the nearest point with no entry above 1/k of a bounded sum, where a bias may penalise the sum.

    .. math::

        \arg\min_x \;\; & \tfrac12 \|x - a\|^2 + \tfrac{\text{bias}}{2} \left( \sum_j x_j \right)^2 \\
        \text{subject to} \;\; & 0 \le x_i \le \tfrac1k \sum_j x_j, \;\; \sum_j x_j \le \text{radius}

    Notes
    -----
    This is the step of Proposition 4 for alpha, with the bias 1. Three cases cover the set.

    1. The zero and the constant case of Lemma 3.
    2. The knapsack with sum x = radius and the upper bound radius/k, if the multiplier of Lemma 5 is >= 0.
    3. Otherwise sum x < radius: the projection onto the top-k cone.

    The cost is O(d log d + k d).
    """
    a, k, radius, bias, _ = problems.project_topk_simplex(a, k, radius, bias, n_jobs=n_jobs)
    return _each_row(a, lambda row: _topk_simplex(row, k, radius, bias))


@checks.documented_by(problems.project_bipartite_simplex)
def project_bipartite_simplex(b: Array, c: Array, radius: float = 1.0, *, n_jobs: int = 1) -> tuple[Floats, Floats]:
    r"""Returns the nearest pair of nonnegative points with equal, bounded sums.

    .. math::

        \arg\min_{u, v} \;\; & \tfrac12 \|u - b\|^2 + \tfrac12 \|v - c\|^2 \\
        \text{subject to} \;\; & u \ge 0, \;\; v \ge 0, \;\; \sum_i u_i = \sum_j v_j \le \text{radius}

    Notes
    -----
    The set is from the multilabel SVM (Lapin, Hein and Schiele 2018). The answer is u = max(b - t, 0) and
    v = max(c - tau, 0), and t + tau is the multiplier of sum u <= radius.

    1. The answer is 0 if max b + max c <= 0.
    2. Otherwise project each point onto its simplex of sum radius. This is right if t + tau >= 0.
    3. Otherwise tau = -t, and t is the root of sum max(b - t, 0) = sum max(c + t, 0).

    The cost is O(d log d + e log e).
    """
    b, c, radius, _ = problems.project_bipartite_simplex(b, c, radius, n_jobs=n_jobs)
    b, c = checks.finite_array(b, "b"), checks.finite_array(c, "c")
    pairs = zip(np.atleast_2d(b).astype(np.float64), np.atleast_2d(c).astype(np.float64), strict=True)
    u, v = zip(*(bipartite_row(*pair, radius) for pair in pairs), strict=True)
    return np.array(u).reshape(b.shape).astype(b.dtype), np.array(v).reshape(c.shape).astype(c.dtype)


def _each_row(a, project):
    """Project a point, or each row of a matrix, in float64, one after the other. Returns an array like `a`."""
    a = checks.finite_array(a, "a")
    x = np.array([project(row) for row in np.atleast_2d(a).astype(np.float64)]).reshape(a.shape)
    return checks.in_range(x, a.dtype, "the answer")


def _simplex(a, radius):
    """Returns max(a - t, 0) with the sum `radius`."""
    a = a - a.max()  # this changes t but not x, and keeps the digits of x where |a| is large beside the radius
    descending = np.sort(a)[::-1]
    t = (np.cumsum(descending) - radius) / np.arange(1, len(a) + 1)
    return np.maximum(a - t[max(np.count_nonzero(descending > t), 1) - 1], 0.0)


def _capped_simplex(a, cap, radius, bias):
    """Project onto 0 <= x <= cap, sum x <= radius, with a bias."""
    if len(a) * cap > radius:
        x, t = sum_at_radius(a, cap, radius)
        if t >= bias * radius:
            return x
    return np.clip(a - _capped_threshold(a, cap, bias), 0.0, cap)


def _capped_threshold(a, cap, bias):
    """Returns the t of eq. (10), t = bias * sum clip(a - t, 0, cap).

    U, M and L change only where t is an entry of a or of a - cap. A binary search finds between which two of them t is.
    """
    corners = np.unique(np.concatenate([a, a - cap, [-np.inf, np.inf]]))
    after = bisect_left(corners, 0.0, 1, len(corners) - 1, key=lambda t: t - bias * np.clip(a - t, 0.0, cap).sum())
    upper, middle = a - cap >= corners[after], (a - cap <= corners[after - 1]) & (a >= corners[after])
    return bias * (cap * upper.sum() + a[middle].sum()) / (1 + bias * middle.sum())


def _topk_simplex(a, k, radius, bias, offset=0.0):
    """Project a + offset onto the top-k simplex, or the top-k cone if the radius is NO_RADIUS.

    The offset is not added to a, because the sums could lose the digits in which the coordinates of a differ.
    """
    x = zero_or_constant(a, k, radius, bias, offset)
    if x is not None:
        return x
    if radius == NO_RADIUS:
        return cone_partition(a, k, bias, offset)
    x, t = sum_at_radius(a, radius / k, radius)
    multiplier = offset + t + np.maximum(a - t - radius / k, 0.0).sum() / k - bias * radius  # Lemma 5
    return x if multiplier >= 0 else cone_partition(a, k, bias, offset)
