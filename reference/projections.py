r"""Projections onto the simplex, the knapsack and the top-k sets, as in the paper.

Every answer is :math:`x = \text{clip}(a - t, 0, u)` with a threshold t and an upper bound u. The functions differ in
how they find these two. The paper splits the coordinates into three sets: U (at the upper bound), M (in the middle) and
L (at zero). The bipartite simplex is a set of pairs (u, v), with a threshold for each of the two.

Source: Paper 004 (Lapin, Hein, Schiele: Top-k Multiclass SVM, 2015), sections 4 and 5.
"""

from bisect import bisect_left

import numpy as np

from . import contract
from ._projections.bipartite import bipartite_row
from ._projections.knapsack import knapsack_row, sum_at_radius
from ._projections.topk_cone import cone_partition, zero_or_constant

__all__ = [
    "project_simplex",
    "project_knapsack",
    "project_capped_simplex",
    "project_topk_cone",
    "project_topk_simplex",
    "project_bipartite_simplex",
]

NO_RADIUS = np.inf  # in place of the radius: the sum is not bounded, and the set is the top-k cone


def project_simplex(a, radius=1.0, *, n_jobs=1):
    r"""Returns the nearest point of the simplex.

    .. math::

        \arg\min_x \;\; & \tfrac12 \|x - a\|^2 \\
        \text{subject to} \;\; & x \ge 0, \;\; \sum_j x_j = \text{radius}

    Parameters
    ----------
    a : array, shape (d,) or (n, d), float32 or float64
        Point to project, or one point a row.
    radius : float, >= 0
        Sum of the answer.
    n_jobs : int
        Number of threads, or -1 for one per processor. The answer does not depend on it.

    Returns
    -------
    x : array like `a`

    Raises
    ------
    ValueError
        `a` is empty, not finite or not 1-D or 2-D; `radius` or `n_jobs` is out of range.

    Notes
    -----
    The answer is :math:`x = \max(a - t, 0)` with a threshold t. If the j largest coordinates of a are positive in x,
    then t = (their sum - radius) / j. The right j is the largest one for which the j-th largest coordinate is above
    this t. Sorting costs O(d log d).

    References
    ----------
    * Paper 004 (Lapin, Hein, Schiele: Top-k Multiclass SVM, 2015), section 4.1: the knapsack problem with b = 1, l = 0,
      and no upper bound.

    Examples
    --------
    >>> project_simplex(np.array([0.5, 1.0, -1.0]))
    array([0.25, 0.75, 0.  ])
    """
    a = contract.points(a)
    radius = contract.nonnegative(radius, "radius", contract.LARGEST[a.dtype])
    return _each_row(a, lambda row: _simplex(row, radius), n_jobs)


def project_knapsack(a, total, lower=0.0, upper=1.0, weights=None, *, n_jobs=1):
    r"""Returns the nearest point that has a given weighted sum and lies between two bounds.

    .. math::

        \arg\min_x \;\; & \tfrac12 \|x - a\|^2 \\
        \text{subject to} \;\; & \langle \text{weights}, x \rangle = \text{total}, \;\;
        \text{lower} \le x \le \text{upper}

    Parameters
    ----------
    a : array, shape (d,) or (n, d), float32 or float64
        Point to project, or one point a row.
    total : float
        Weighted sum of the answer, between those of `lower` and of `upper`.
    lower, upper : float or array (d,)
        Bounds, with lower <= upper; -inf and inf are allowed.
    weights : array (d,), > 0, optional
        1 for all coordinates if not given.
    n_jobs : int
        As for `project_simplex`.

    Returns
    -------
    x : array like `a`

    Raises
    ------
    ValueError
        `a` is empty, not finite or not 1-D or 2-D; lower > upper; weights <= 0; `total` or `n_jobs` is out of range.

    Notes
    -----
    The answer is x = clip(a - t weights, lower, upper) with a threshold t. Each round drops the bounds, solves for t,
    and clips. If the weighted sum is too large, t must rise, and coordinates at lower bounds stay there. If it is too
    small, those at upper bounds do. At most d rounds, usually a few, of O(d) each.

    References
    ----------
    * Paper 004 (Lapin, Hein, Schiele: Top-k Multiclass SVM, 2015), section 4.1.
    * Paper (Kiwiel: Variable Fixing Algorithms for the Continuous Quadratic Knapsack Problem, 2008), its reference
      [14].

    Examples
    --------
    >>> project_knapsack(np.array([0.5, 2.0, -1.0]), total=1.5)
    array([0.5, 1. , 0. ])
    """
    a = contract.points(a)
    total, lower, upper, weights = contract.knapsack(total, lower, upper, weights, a.shape[-1], a.dtype)
    return _each_row(a, lambda row: knapsack_row(row, total, lower, upper, weights)[0], n_jobs)


def project_capped_simplex(a, cap, radius=1.0, bias=0.0, *, n_jobs=1):
    r"""Returns the nearest point with entries in 0..cap and a bounded sum, where a bias may penalise the sum.

    .. math::

        \arg\min_x \;\; & \tfrac12 \|x - a\|^2 + \tfrac{\text{bias}}{2} \left( \sum_j x_j \right)^2 \\
        \text{subject to} \;\; & 0 \le x \le \text{cap}, \;\; \sum_j x_j \le \text{radius}

    Parameters
    ----------
    a : array, shape (d,) or (n, d), float32 or float64
        Point to project, or one point a row.
    cap : float, >= 0
        Upper bound of each coordinate; radius / k for the top-k beta (Usunier) loss.
    radius : float, >= 0
        Upper bound of the sum.
    bias : float, >= 0
        Weight of the squared sum; 1 in the SDCA step.
    n_jobs : int
        As for `project_simplex`.

    Returns
    -------
    x : array like `a`

    Raises
    ------
    ValueError
        `a` is empty, not finite or not 1-D or 2-D; `cap`, `radius`, `bias` or `n_jobs` is out of range.

    Notes
    -----
    If sum x = radius, the problem is a knapsack, and its threshold is t >= bias * radius. Otherwise t = bias * sum x,
    and t follows from the one split into U, M and L that equation (10) reproduces. The cost is O(d log d).

    The answer is clip(a - t, 0, cap), where the paper prints clip(x - t).

    References
    ----------
    * Paper 004 (Lapin, Hein, Schiele: Top-k Multiclass SVM, 2015), section 5 with equation (10).

    Examples
    --------
    >>> project_capped_simplex(np.array([0.5, 2.0, -1.0]), cap=0.5)
    array([0.5, 0.5, 0. ])
    """
    a = contract.points(a)
    largest = contract.LARGEST[a.dtype]
    cap, radius = contract.nonnegative(cap, "cap", largest), contract.nonnegative(radius, "radius", largest)
    bias = contract.nonnegative(bias, "bias", largest)
    return _each_row(a, lambda row: _capped_simplex(row, cap, radius, bias), n_jobs)


def project_topk_cone(a, k, bias=0.0, *, n_jobs=1):
    r"""Returns the nearest point with no entry above 1/k of the sum, where a bias may penalise the sum.

    .. math::

        \arg\min_x \;\; & \tfrac12 \|x - a\|^2 + \tfrac{\text{bias}}{2} \left( \sum_j x_j \right)^2 \\
        \text{subject to} \;\; & 0 \le x_i \le \tfrac1k \sum_j x_j

    Parameters
    ----------
    a : array, shape (d,) or (n, d), float32 or float64
        Point to project, or one point a row.
    k : int in 1..d
        Each coordinate is at most 1/k of the sum.
    bias, n_jobs
        As for `project_capped_simplex`.

    Returns
    -------
    x : array like `a`

    Raises
    ------
    ValueError
        `a` is empty, not finite or not 1-D or 2-D; `k`, `bias` or `n_jobs` is out of range.

    Notes
    -----
    Lemma 4: x = 0 if and only if the k largest coordinates of a sum to at most 0, whatever the bias. Lemma 3: otherwise
    either the k largest coordinates of x share one value, or M is not empty. In the latter case a search finds the
    partition that solves equation (7) and satisfies equation (8). The cost is O(d log d + k d).

    References
    ----------
    * Paper 004 (Lapin, Hein, Schiele: Top-k Multiclass SVM, 2015), section 4.2 with Lemmas 3 and 4.

    Examples
    --------
    >>> project_topk_cone(np.array([0.0, 2.0, 3.0, 6.0]), k=3)
    array([1., 3., 4., 4.])
    """
    a = contract.points(a)
    k, bias = contract.count(k, "k", a.shape[-1]), contract.nonnegative(bias, "bias", contract.LARGEST[a.dtype])
    return _each_row(a, lambda row: _topk_simplex(row, k, NO_RADIUS, bias), n_jobs)


def project_topk_simplex(a, k, radius=1.0, bias=0.0, *, n_jobs=1):
    r"""Returns the nearest point with no entry above 1/k of a bounded sum, where a bias may penalise the sum.

    .. math::

        \arg\min_x \;\; & \tfrac12 \|x - a\|^2 + \tfrac{\text{bias}}{2} \left( \sum_j x_j \right)^2 \\
        \text{subject to} \;\; & 0 \le x_i \le \tfrac1k \sum_j x_j, \;\; \sum_j x_j \le \text{radius}

    Parameters
    ----------
    a : array, shape (d,) or (n, d), float32 or float64
        Point to project, or one point a row.
    k : int in 1..d
        Each coordinate is at most 1/k of the sum.
    radius, bias, n_jobs
        As for `project_capped_simplex`.

    Returns
    -------
    x : array like `a`

    Raises
    ------
    ValueError
        `a` is empty, not finite or not 1-D or 2-D; `k`, `radius`, `bias` or `n_jobs` is out of range.

    Notes
    -----
    Three cases cover the set.

    1. The zero and the constant case of Lemma 3.
    2. The knapsack with sum x = radius and the upper bound radius/k, if the multiplier of Lemma 5 is >= 0.
    3. Otherwise sum x < radius: the projection onto the top-k cone.

    The cost is O(d log d + k d).

    References
    ----------
    * Paper 004 (Lapin, Hein, Schiele: Top-k Multiclass SVM, 2015), section 4.3 with Lemmas 3 to 5 and Proposition 4.

    Examples
    --------
    >>> project_topk_simplex(np.array([0.5, 2.0, -1.0]), k=2)
    array([0.5, 0.5, 0. ])
    """
    a = contract.points(a)
    k, largest = contract.count(k, "k", a.shape[-1]), contract.LARGEST[a.dtype]
    radius, bias = contract.nonnegative(radius, "radius", largest), contract.nonnegative(bias, "bias", largest)
    return _each_row(a, lambda row: _topk_simplex(row, k, radius, bias), n_jobs)


def project_bipartite_simplex(b, c, radius=1.0, *, n_jobs=1):
    r"""Returns the nearest pair of nonnegative points with equal, bounded sums.

    .. math::

        \arg\min_{u, v} \;\; & \tfrac12 \|u - b\|^2 + \tfrac12 \|v - c\|^2 \\
        \text{subject to} \;\; & u \ge 0, \;\; v \ge 0, \;\; \sum_i u_i = \sum_j v_j \le \text{radius}

    Parameters
    ----------
    b, c : array, shapes (d,) and (e,), or (n, d) and (n, e), float32 or float64
        Pair of points to project, or one pair a row.
    radius : float, >= 0
        Upper bound of both sums.
    n_jobs : int
        Number of threads, or -1 for one per processor. The answer does not depend on it.

    Returns
    -------
    u, v : arrays of the shapes of `b` and `c`, float32 if both are, else float64

    Raises
    ------
    ValueError
        `b` or `c` is empty, not finite or not 1-D or 2-D; they differ in the number of dimensions or of rows; `radius`
        or `n_jobs` is out of range.

    Notes
    -----
    The answer is u = max(b - t, 0) and v = max(c - tau, 0), and t + tau is the multiplier of sum u <= radius.

    1. The answer is 0 if max b + max c <= 0.
    2. Otherwise project each point onto its simplex of sum radius. This is right if t + tau >= 0.
    3. Otherwise tau = -t, and t is the root of sum max(b - t, 0) = sum max(c + t, 0).

    The cost is O(d log d + e log e).

    References
    ----------
    * Paper (Lapin, Hein, Schiele: Analysis and Optimization of Loss Functions, 2018), the update of the smooth
      multilabel SVM, derived again here.

    Examples
    --------
    >>> project_bipartite_simplex(np.array([0.5, 0.25]), np.array([0.75, -1.0]))
    (array([0.5 , 0.25]), array([0.75, 0.  ]))
    """
    b, c = contract.two_points(b, c)
    b, c = contract.finite_array(b, "b"), contract.finite_array(c, "c")
    radius = contract.nonnegative(radius, "radius", contract.LARGEST[b.dtype])
    contract.thread_count(n_jobs)
    pairs = zip(np.atleast_2d(b).astype(np.float64), np.atleast_2d(c).astype(np.float64), strict=True)
    u, v = zip(*(bipartite_row(*pair, radius) for pair in pairs), strict=True)
    return np.array(u).reshape(b.shape).astype(b.dtype), np.array(v).reshape(c.shape).astype(c.dtype)


def _each_row(a, project, n_jobs):
    """Project a point, or each row of a matrix, in float64, one after the other. Returns an array like `a`."""
    contract.thread_count(n_jobs)
    x = np.array([project(row) for row in np.atleast_2d(a).astype(np.float64)]).reshape(a.shape)
    return contract.in_range(x, a.dtype, "the answer")


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
