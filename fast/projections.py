"""The projections of `reference.projections`, in a few passes over memory.

Each function checks its arguments and passes the rows to the kernels of `_projections`: `topk` and `capped` for the
sets with one cap for all coordinates, `knapsack` for bounds and weights of each coordinate.
"""

import numpy as np

from reference import contract

from ._projections.candidates import LONG_ROW
from ._projections.capped import capped_long_rows, capped_of_maxima, capped_point, capped_rows, largest_needed
from ._projections.knapsack import SURELY_ABOVE, knapsack_rows, one_cap_point
from ._projections.run import Kernels, on_a_copy, project, project_pairs, project_rows
from ._projections.topk import NO_RADIUS, topk_long_rows, topk_of_maxima, topk_point, topk_rows

__all__ = [
    "project_simplex",
    "project_knapsack",
    "project_capped_simplex",
    "project_topk_cone",
    "project_topk_simplex",
    "project_bipartite_simplex",
]

SUM_IS_FIXED, SUM_IS_BOUNDED = True, False  # sum x = radius, sum x <= radius
TOPK = Kernels(topk_point, topk_rows, topk_long_rows, topk_of_maxima)
CAPPED = Kernels(capped_point, capped_rows, capped_long_rows, capped_of_maxima)


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
    The twin of `reference.project_simplex`. One pass over `a` finds the coordinates that can be positive, and Newton's
    method finds the threshold from them. The cost is O(d).

    References
    ----------
    * Paper 004 (Lapin, Hein, Schiele: Top-k Multiclass SVM, 2015), section 4.1: the knapsack problem with b = 1, l = 0,
      and no upper bound.

    Examples
    --------
    >>> project_simplex(np.array([0.5, 1.0, -1.0]))
    array([0.25, 0.75, 0.  ])
    """
    a = contract.real_array(a, "a", (1, 2))
    radius = contract.nonnegative(radius, "radius", contract.LARGEST[a.dtype])
    return _project_capped(a, np.inf, radius, 0.0, SUM_IS_FIXED, contract.thread_count(n_jobs))


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
    The twin of `reference.project_knapsack`. Kiwiel's variable fixing with a list of the free coordinates, so that all
    rounds together usually cost O(d). If `lower` is 0, `upper` is one number and there are no weights, a point whose
    clipped sum is above the total is projected onto the capped simplex instead, which is faster.

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
    a, n_jobs = contract.real_array(a, "a", (1, 2)), contract.thread_count(n_jobs)
    numbers = type(lower) is type(upper) is float or np.ndim(lower) == np.ndim(upper) == 0
    if numbers and weights is None and lower == 0:
        return _project_one_cap(a, total, lower, upper, n_jobs)
    problem = contract.knapsack(total, lower, upper, weights, a.shape[-1], a.dtype)
    if np.isfinite(problem[1]).all() and np.isfinite(problem[2]).all():
        return project_rows(knapsack_rows, a, problem, n_jobs)
    x = project_rows(knapsack_rows, a.astype(np.float64, copy=False), problem, n_jobs)
    return contract.in_range(x, a.dtype, "the answer")  # no bound keeps it there


def _project_one_cap(a, total, zero, cap, n_jobs):
    """Project onto sum x = total, zero <= x <= cap, with zero = 0.

    A row whose clipped sum is above the total is a case for the capped simplex, whose kernel filters candidates. The
    other rows have to go up, where each coordinate can change, and are left to the knapsack.
    """
    d = a.shape[-1]
    total, cap = contract.one_cap(total, zero, cap, d, a.dtype)
    if total > 0 and a.ndim == 1 and d < LONG_ROW:
        x, done = on_a_copy(one_cap_point, a, (cap, total))
        if done:
            return x
    points = a.reshape(-1, d)
    with np.errstate(over="ignore", invalid="ignore"):  # the kernels refuse what is not finite
        above = np.clip(points, 0.0, cap).sum(axis=1, dtype=np.float64) > max(total, 0.0) * SURELY_ABOVE
    if total > 0 and above.all():
        return _project_capped(a, cap, total, 0.0, SUM_IS_BOUNDED, n_jobs)
    everywhere = contract.knapsack(total, 0.0, cap, None, d, a.dtype)
    if total <= 0 or not above.any():
        return project_rows(knapsack_rows, a, everywhere, n_jobs)
    contract.finite_array(a, "a")  # the message then has the index in all rows
    x = np.empty_like(points)
    x[above] = _project_capped(points[above], cap, total, 0.0, SUM_IS_BOUNDED, n_jobs)
    x[~above] = project_rows(knapsack_rows, points[~above], everywhere, n_jobs)
    return x.reshape(a.shape)


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
    The twin of `reference.project_capped_simplex`. If at most q coordinates can be at the cap, the threshold is at
    least the (q + 1)-th largest coordinate minus the cap, and at least 0. Only coordinates above it are needed. The
    cost is O(d).

    References
    ----------
    * Paper 004 (Lapin, Hein, Schiele: Top-k Multiclass SVM, 2015), section 5 with equation (10).

    Examples
    --------
    >>> project_capped_simplex(np.array([0.5, 2.0, -1.0]), cap=0.5)
    array([0.5, 0.5, 0. ])
    """
    a = contract.real_array(a, "a", (1, 2))
    largest = contract.LARGEST[a.dtype]
    cap, radius = contract.nonnegative(cap, "cap", largest), contract.nonnegative(radius, "radius", largest)
    bias = contract.nonnegative(bias, "bias", largest)
    return _project_capped(a, cap, radius, bias, SUM_IS_BOUNDED, contract.thread_count(n_jobs))


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
    The twin of `reference.project_topk_cone`. Newton's method for the threshold replaces the search over partitions.
    The upper bound follows from the k largest coordinates. The cost is O(d) for small k, O(d log k) in general.

    References
    ----------
    * Paper 004 (Lapin, Hein, Schiele: Top-k Multiclass SVM, 2015), section 4.2 with Lemmas 3 and 4.

    Examples
    --------
    >>> project_topk_cone(np.array([0.0, 2.0, 3.0, 6.0]), k=3)
    array([1., 3., 4., 4.])
    """
    a = contract.real_array(a, "a", (1, 2))
    k, bias = contract.count(k, "k", a.shape[-1]), contract.nonnegative(bias, "bias", contract.LARGEST[a.dtype])
    return project(TOPK, a, k + 1, (k, NO_RADIUS, bias), contract.thread_count(n_jobs))


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
    The twin of `reference.project_topk_simplex`. The threshold is at least the k-th largest coordinate minus radius/k.
    One pass over `a` finds the coordinates above this bound, usually a few. The cost is O(d) for small k, O(d log k) in
    general.

    References
    ----------
    * Paper 004 (Lapin, Hein, Schiele: Top-k Multiclass SVM, 2015), section 4.3 with Lemmas 3 to 5 and Proposition 4.

    Examples
    --------
    >>> project_topk_simplex(np.array([0.5, 2.0, -1.0]), k=2)
    array([0.5, 0.5, 0. ])
    """
    a = contract.real_array(a, "a", (1, 2))
    k, largest = contract.count(k, "k", a.shape[-1]), contract.LARGEST[a.dtype]
    radius, bias = contract.nonnegative(radius, "radius", largest), contract.nonnegative(bias, "bias", largest)
    return project(TOPK, a, k + 1, (k, radius, bias), contract.thread_count(n_jobs))


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
    The twin of `reference.project_bipartite_simplex`. One pass over each point finds the coordinates that can be
    positive, and Newton's method finds both thresholds from them. Threads take different rows. The cost is O(d + e).

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
    radius = contract.nonnegative(radius, "radius", contract.LARGEST[b.dtype])
    n_jobs = contract.thread_count(n_jobs)
    return project_pairs(b, c, radius, n_jobs)


def _project_capped(a, cap, radius, bias, sum_is_fixed, n_jobs):
    largest = 1 if a.shape[-1] < LONG_ROW else largest_needed(a.shape[-1], cap, radius)[0]
    return project(CAPPED, a, largest, (cap, radius, bias, sum_is_fixed), n_jobs)
