"""The projections of `reference.projections`, in a few passes over memory.

Each function checks its arguments and hands rows to a kernel: `_rows` for the sets with one cap, `_knapsack` for bounds
and weights of each coordinate.
"""

import numpy as np

from reference import contract

from ._projections.candidates import SMALL
from ._projections.knapsack import knapsack_rows
from ._projections.rows import capped_rows, topk_rows
from ._shared.bits import bits_of

__all__ = [
    "project_simplex",
    "project_knapsack",
    "project_capped_simplex",
    "project_topk_cone",
    "project_topk_simplex",
]

ABOVE = 1 + 1e-9  # times the total: so much is surely above it, however the sum has been rounded


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
    The twin of `reference.project_simplex`. O(d): one pass over `a`, and Newton's method on what can be nonzero.
    Source: 004, section 4.1.

    Examples
    --------
    >>> project_simplex(np.array([0.5, 1.0, -1.0]))
    array([0.25, 0.75, 0.  ])
    """
    radius = contract.nonnegative(radius, "radius")
    return _project(capped_rows, _array(a), np.inf, radius, -1.0)


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
    The twin of `reference.project_knapsack`: Kiwiel's variable fixing, in which the coordinates that are still free are
    kept side by side, so that all rounds together cost O(d) as a rule. With 0 and one number for bounds and no weights,
    a point that has to come down is one for the capped simplex, whose kernel filters.
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
    """The rows that have to come down in the kernel that filters, the others among all coordinates."""
    points, d = a.reshape(-1, a.shape[-1]), a.shape[-1]
    total, cap = contract.one_cap(total, zero, cap, d, a.dtype)
    with np.errstate(over="ignore", invalid="ignore"):  # what is not finite, the kernels refuse
        above = np.clip(points, 0.0, cap).sum(axis=1, dtype=np.float64) > max(total, 0.0) * ABOVE
    if total > 0 and above.all():
        return _project(capped_rows, a, cap, total, 0.0)
    everywhere = contract.knapsack(total, 0.0, cap, None, d, a.dtype)
    if total <= 0 or not above.any():
        return _project(knapsack_rows, a, *everywhere)
    contract.finite_array(a, "a")  # where it is, seen from all rows
    x = np.empty_like(points)
    x[above] = _project(capped_rows, points[above], cap, total, 0.0)
    x[~above] = _project(knapsack_rows, points[~above], *everywhere)
    return x.reshape(a.shape)


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
    The twin of `reference.project_capped_simplex`. O(d): if q coordinates fit at the cap, the threshold is at least the
    (q + 1)-th largest less the cap, and at least 0.
    Source: 004, section 5, eq. (10), with clip(a - t) where the paper prints clip(x - t).

    Examples
    --------
    >>> project_capped_simplex(np.array([0.5, 2.0, -1.0]), cap=0.5)
    array([0.5, 0.5, 0. ])
    """
    cap, radius = contract.nonnegative(cap, "cap"), contract.nonnegative(radius, "radius")
    return _project(capped_rows, _array(a), cap, radius, contract.nonnegative(bias, "bias"))


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
    The twin of `reference.project_topk_cone`: Newton's method for the threshold, with the cap found in the k largest,
    instead of a search over partitions. O(d) for small k, O(d log k) in general.
    Source: 004, section 4.2, Lemmas 3 and 4.

    Examples
    --------
    >>> project_topk_cone(np.array([0.0, 2.0, 3.0, 6.0]), k=3)
    array([1., 3., 4., 4.])
    """
    a, bias = _array(a), contract.nonnegative(bias, "bias")
    return _project(topk_rows, a, contract.count(k, "k", a.shape[-1]), np.inf, bias)


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
    The twin of `reference.project_topk_simplex`. The threshold is at least the k-th largest coordinate less radius/k,
    so that one pass over `a` leaves a handful of candidates. O(d) for small k, O(d log k) in general.
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
    """Have a kernel project a point, or each row of a matrix; the kernel also sees whether all is finite."""
    points = a.reshape(-1, a.shape[-1])
    points.flags.writeable = False  # of this view only: a kernel is compiled for one kind of memory
    # Of a long row only what is not zero is written, and memory that the system zeroes is not touched for it.
    x = np.zeros(points.shape, a.dtype) if points.shape[1] >= SMALL else np.empty(points.shape, a.dtype)
    if not rows(points, bits_of(points), *problem, x):
        contract.finite_array(a, "a")
    return x.reshape(a.shape)
