"""The projections of `reference.projections`, in a few passes over memory.

Each function checks its arguments and passes the rows to a kernel of `_projections`: `topk` and `capped` for the sets
with one cap for all coordinates, `knapsack` for bounds and weights of each coordinate.
"""

import numpy as np

from reference import contract

from ._projections.candidates import LONG_ROW
from ._projections.capped import capped_rows
from ._projections.knapsack import knapsack_rows
from ._projections.topk import NO_RADIUS, topk_rows
from ._shared.bits import bits_of

__all__ = [
    "project_simplex",
    "project_knapsack",
    "project_capped_simplex",
    "project_topk_cone",
    "project_topk_simplex",
]

SUM_IS_FIXED, SUM_IS_BOUNDED = True, False  # sum x = radius, sum x <= radius
SURELY_ABOVE = 1 + 1e-9  # a sum of more than this times the total is above it, however it has been rounded


def project_simplex(a, radius=1.0):
    """argmin_x 1/2 |a - x|^2  subject to  x >= 0, sum x = radius.

    Parameters
    ----------
    a : array, shape (d,) or (n, d), float32 or float64
        Point to project, or one point a row.
    radius : float, >= 0
        Sum of the answer.

    Returns
    -------
    x : array like `a`

    Raises
    ------
    ValueError
        `a` is empty, not finite or not 1-D or 2-D; `radius` is negative or not finite.

    Notes
    -----
    The twin of `reference.project_simplex`. One pass over `a` finds the coordinates that can be positive, and Newton's
    method finds the threshold from them. O(d).
    Source: 004, section 4.1.

    Examples
    --------
    >>> project_simplex(np.array([0.5, 1.0, -1.0]))
    array([0.25, 0.75, 0.  ])
    """
    radius = contract.nonnegative(radius, "radius")
    return _project(capped_rows, _array(a), np.inf, radius, 0.0, SUM_IS_FIXED)


def project_knapsack(a, total, lower=0.0, upper=1.0, weights=None):
    """argmin_x 1/2 |a - x|^2  subject to  <weights, x> = total, lower <= x <= upper.

    Parameters
    ----------
    a : array, shape (d,) or (n, d), float32 or float64
        Point to project, or one point a row.
    total : float
        Weighted sum of the answer, between <weights, lower> and <weights, upper>.
    lower, upper : float or array (d,)
        Bounds, lower <= upper; -inf and inf are allowed.
    weights : array (d,), > 0, optional
        1 for all coordinates if not given.

    Returns
    -------
    x : array like `a`

    Raises
    ------
    ValueError
        `a` is empty, not finite or not 1-D or 2-D; lower > upper; a weight is not positive; `total` cannot be reached.

    Notes
    -----
    The twin of `reference.project_knapsack`. Kiwiel's variable fixing with a list of the free coordinates, so that all
    rounds together usually cost O(d). If `lower` is 0, `upper` is one number and there are no weights, a point whose
    clipped sum is above the total is projected onto the capped simplex instead, which is faster.
    Source: 004, section 4.1, and its reference [14] (Kiwiel 2008).

    Examples
    --------
    >>> project_knapsack(np.array([0.5, 2.0, -1.0]), total=1.5)
    array([0.5, 1. , 0. ])
    """
    a = _array(a)
    if weights is None and np.ndim(lower) == np.ndim(upper) == 0 and lower == 0:
        return _project_one_cap(a, total, lower, upper)
    return _project(knapsack_rows, a, *contract.knapsack(total, lower, upper, weights, a.shape[-1], a.dtype))


def _project_one_cap(a, total, zero, cap):
    """Project onto sum x = total, zero <= x <= cap, with zero = 0.

    A row whose clipped sum is above the total is a case for the capped simplex, whose kernel filters candidates. The
    other rows have to go up, where each coordinate can change, and are left to the knapsack.
    """
    points, d = a.reshape(-1, a.shape[-1]), a.shape[-1]
    total, cap = contract.one_cap(total, zero, cap, d, a.dtype)
    with np.errstate(over="ignore", invalid="ignore"):  # the kernels refuse what is not finite
        above = np.clip(points, 0.0, cap).sum(axis=1, dtype=np.float64) > max(total, 0.0) * SURELY_ABOVE
    if total > 0 and above.all():
        return _project(capped_rows, a, cap, total, 0.0, SUM_IS_BOUNDED)
    everywhere = contract.knapsack(total, 0.0, cap, None, d, a.dtype)
    if total <= 0 or not above.any():
        return _project(knapsack_rows, a, *everywhere)
    contract.finite_array(a, "a")  # the message then has the index in all rows
    x = np.empty_like(points)
    x[above] = _project(capped_rows, points[above], cap, total, 0.0, SUM_IS_BOUNDED)
    x[~above] = _project(knapsack_rows, points[~above], *everywhere)
    return x.reshape(a.shape)


def project_capped_simplex(a, cap, radius=1.0, bias=0.0):
    """argmin_x 1/2 |a - x|^2 + bias/2 (sum x)^2  subject to  0 <= x <= cap, sum x <= radius.

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

    Returns
    -------
    x : array like `a`

    Raises
    ------
    ValueError
        `a` is empty, not finite or not 1-D or 2-D; `cap`, `radius` or `bias` is negative or not finite.

    Notes
    -----
    The twin of `reference.project_capped_simplex`. If at most q coordinates can be at the cap, the threshold is at
    least the (q + 1)-th largest coordinate minus the cap, and at least 0. Only coordinates above it are needed. O(d).
    Source: 004, section 5, eq. (10), with clip(a - t) where the paper prints clip(x - t).

    Examples
    --------
    >>> project_capped_simplex(np.array([0.5, 2.0, -1.0]), cap=0.5)
    array([0.5, 0.5, 0. ])
    """
    cap, radius = contract.nonnegative(cap, "cap"), contract.nonnegative(radius, "radius")
    bias = contract.nonnegative(bias, "bias")
    return _project(capped_rows, _array(a), cap, radius, bias, SUM_IS_BOUNDED)


def project_topk_cone(a, k, bias=0.0):
    """argmin_x 1/2 |a - x|^2 + bias/2 (sum x)^2  subject to  0 <= x <= (sum x)/k.

    Parameters
    ----------
    a : array, shape (d,) or (n, d), float32 or float64
        Point to project, or one point a row.
    k : int in 1..d
        Each coordinate is at most 1/k of the sum.
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
    The twin of `reference.project_topk_cone`. Newton's method for the threshold replaces the search over partitions;
    the cap follows from the k largest coordinates. O(d) for small k, O(d log k) in general.
    Source: 004, section 4.2, Lemmas 3 and 4.

    Examples
    --------
    >>> project_topk_cone(np.array([0.0, 2.0, 3.0, 6.0]), k=3)
    array([1., 3., 4., 4.])
    """
    a, bias = _array(a), contract.nonnegative(bias, "bias")
    return _project(topk_rows, a, contract.count(k, "k", a.shape[-1]), NO_RADIUS, bias)


def project_topk_simplex(a, k, radius=1.0, bias=0.0):
    """argmin_x 1/2 |a - x|^2 + bias/2 (sum x)^2  subject to  0 <= x <= (sum x)/k, sum x <= radius.

    Parameters
    ----------
    a : array, shape (d,) or (n, d), float32 or float64
        Point to project, or one point a row.
    k : int in 1..d
        Each coordinate is at most 1/k of the sum.
    radius : float, >= 0
        Upper bound of the sum.
    bias : float, >= 0
        Weight of the squared sum; 1 in the SDCA step.

    Returns
    -------
    x : array like `a`

    Raises
    ------
    ValueError
        `a` is empty, not finite or not 1-D or 2-D; `k` is outside 1..d; `radius` or `bias` is negative or not finite.

    Notes
    -----
    The twin of `reference.project_topk_simplex`. The threshold is at least the k-th largest coordinate minus radius/k.
    One pass over `a` finds the coordinates above this bound, usually a few. O(d) for small k, O(d log k) in general.
    Source: 004, section 4.3, Lemmas 3 to 5.

    Examples
    --------
    >>> project_topk_simplex(np.array([0.5, 2.0, -1.0]), k=2)
    array([0.5, 0.5, 0. ])
    """
    a, radius = _array(a), contract.nonnegative(radius, "radius")
    return _project(topk_rows, a, contract.count(k, "k", a.shape[-1]), radius, contract.nonnegative(bias, "bias"))


def _array(a):
    return np.ascontiguousarray(contract.real_array(a, "a", (1, 2)))


def _project(rows, a, *problem):
    """Project a point, or each row of a matrix, by a kernel, which also tells whether all of `a` is finite."""
    points = a.reshape(-1, a.shape[-1])
    points.flags.writeable = False  # of this view only: each kernel is compiled for one type of memory
    # Kernels write a long row only where it is not 0. np.zeros does not touch the memory of the other coordinates.
    x = np.zeros(points.shape, a.dtype) if points.shape[1] >= LONG_ROW else np.empty(points.shape, a.dtype)
    if not rows(points, bits_of(points), *problem, x):
        contract.finite_array(a, "a")
    return x.reshape(a.shape)
