"""The statements of `reference.projections`.

Points need not be finite here: `fast` sees that in its first pass over memory, and others use `checks.finite_array`.
"""

from __future__ import annotations

import numpy as np

from . import checks
from .checks.types import Array

__all__ = [
    "project_simplex",
    "project_knapsack",
    "project_capped_simplex",
    "project_topk_cone",
    "project_topk_simplex",
    "project_bipartite_simplex",
]


def project_simplex(a: Array, radius: float = 1.0, *, n_jobs: int = 1) -> tuple:
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

    References
    ----------
    * Paper 004 (Lapin, Hein, Schiele: Top-k Multiclass SVM, 2015), section 4.1: the knapsack problem with b = 1, l = 0,
      and no upper bound.

    Examples
    --------
    >>> project_simplex(np.array([0.5, 1.0, -1.0]))
    array([0.25, 0.75, 0.  ])
    """
    a = checks.real_array(a, "a", (1, 2))
    return a, checks.nonnegative(radius, "radius", checks.LARGEST[a.dtype]), checks.thread_count(n_jobs)


def project_knapsack(
    a: Array, total: float, lower: float | Array = 0.0, upper: float | Array = 1.0, weights: Array | None = None, *,
    n_jobs: int = 1,
) -> tuple:  # fmt: skip
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
    a, n_jobs = checks.real_array(a, "a", (1, 2)), checks.thread_count(n_jobs)
    numbers = type(lower) is type(upper) is float or np.ndim(lower) == np.ndim(upper) == 0
    if numbers and weights is None and lower == 0:  # bounds and weights stay numbers
        total, cap = checks.one_cap(total, lower, upper, a.shape[-1], a.dtype)
        return a, total, 0.0, cap, 1.0, n_jobs
    return a, *checks.knapsack(total, lower, upper, weights, a.shape[-1], a.dtype), n_jobs


def project_capped_simplex(a: Array, cap: float, radius: float = 1.0, bias: float = 0.0, *, n_jobs: int = 1) -> tuple:
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

    References
    ----------
    * Paper 004 (Lapin, Hein, Schiele: Top-k Multiclass SVM, 2015), section 5 with equation (10).

    Examples
    --------
    >>> project_capped_simplex(np.array([0.5, 2.0, -1.0]), cap=0.5)
    array([0.5, 0.5, 0. ])
    """
    a = checks.real_array(a, "a", (1, 2))
    largest = checks.LARGEST[a.dtype]
    cap, radius = checks.nonnegative(cap, "cap", largest), checks.nonnegative(radius, "radius", largest)
    return a, cap, radius, checks.nonnegative(bias, "bias", largest), checks.thread_count(n_jobs)


def project_topk_cone(a: Array, k: int, bias: float = 0.0, *, n_jobs: int = 1) -> tuple:
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

    References
    ----------
    * Paper 004 (Lapin, Hein, Schiele: Top-k Multiclass SVM, 2015), section 4.2 with Lemmas 3 and 4,
      and equations (7) and (8).

    Examples
    --------
    >>> project_topk_cone(np.array([0.0, 2.0, 3.0, 6.0]), k=3)
    array([1., 3., 4., 4.])
    """
    a = checks.real_array(a, "a", (1, 2))
    k, bias = checks.count(k, "k", a.shape[-1]), checks.nonnegative(bias, "bias", checks.LARGEST[a.dtype])
    return a, k, bias, checks.thread_count(n_jobs)


def project_topk_simplex(a: Array, k: int, radius: float = 1.0, bias: float = 0.0, *, n_jobs: int = 1) -> tuple:
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

    References
    ----------
    * Paper 004 (Lapin, Hein, Schiele: Top-k Multiclass SVM, 2015), section 4.3 with Lemmas 3 to 5,
      Definition 1 and Proposition 4.

    Examples
    --------
    >>> project_topk_simplex(np.array([0.5, 2.0, -1.0]), k=2)
    array([0.5, 0.5, 0. ])
    """
    a = checks.real_array(a, "a", (1, 2))
    k, largest = checks.count(k, "k", a.shape[-1]), checks.LARGEST[a.dtype]
    radius, bias = checks.nonnegative(radius, "radius", largest), checks.nonnegative(bias, "bias", largest)
    return a, k, radius, bias, checks.thread_count(n_jobs)


def project_bipartite_simplex(b: Array, c: Array, radius: float = 1.0, *, n_jobs: int = 1) -> tuple:
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

    References
    ----------
    * Paper (Lapin, Hein, Schiele: Analysis and Optimization of Loss Functions, 2018), the update of the smooth
      multilabel SVM, derived again here.

    Examples
    --------
    >>> project_bipartite_simplex(np.array([0.5, 0.25]), np.array([0.75, -1.0]))
    (array([0.5 , 0.25]), array([0.75, 0.  ]))
    """
    b, c = checks.two_points(b, c)
    radius = checks.nonnegative(radius, "radius", checks.LARGEST[b.dtype])
    return b, c, radius, checks.thread_count(n_jobs)
