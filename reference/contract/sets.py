"""Checks of the sets that are projected onto: totals, bounds and weights."""

import numpy as np

from .arguments import brief, finite_number


def knapsack(total, lower, upper, weights, d, dtype):
    """The set {<weights, x> = total, lower <= x <= upper} as (total, lower, upper, weights), float64, (d,) each."""
    total = finite_number(total, "total")
    lower, upper = bounds(lower, upper, d)
    weights = _per_coordinate(1.0 if weights is None else weights, "weights", d)
    if not (np.isfinite(weights).all() and (weights > 0).all()):
        raise ValueError(f"weights must be > 0 and finite, got {weights[~((weights > 0) & np.isfinite(weights))][0]}")
    with np.errstate(over="ignore"):  # an infinite sum bounds nothing
        ends = (weights * lower).sum(), (weights * upper).sum()
        sizes = np.abs(weights * lower).sum(), np.abs(weights * upper).sum()
    _reachable(total, ends, sizes, dtype)
    return total, lower, upper, weights


def one_cap(total, zero, cap, d, dtype):
    """The set {sum x = total, 0 <= x <= cap} as (total, cap): what `knapsack` checks, in O(1)."""
    total, (_, cap) = finite_number(total, "total"), bounds(zero, cap, 1)
    most = d * float(cap[0])
    _reachable(total, (0.0, most), (0.0, most), dtype)
    return total, float(cap[0])


def _reachable(total, ends, sizes, dtype):
    """A sum of d rounded bounds need not be exactly the total that it was meant to be; `sizes` sum their magnitudes."""
    rounding = 8 * float(np.finfo(dtype).eps)
    for end, size, sign in zip(ends, sizes, (1, -1), strict=True):
        if np.isfinite(end) and sign * (end - total) > rounding * (size + abs(total)):
            raise ValueError(f"total must be within {ends[0]}..{ends[1]}, what the bounds allow, got {total}")


def interval(lower, upper, dtype=np.float64):
    """Two bounds that hold for all coordinates, as floats; infinite, or within the range of the dtype."""
    for name, bound in (("lower", lower), ("upper", upper)):
        if np.ndim(bound) != 0:
            raise ValueError(f"{name} must be one number, got shape {np.shape(bound)}")
        if np.asarray(bound).dtype.kind not in "iuf":
            raise ValueError(f"{name} must be a number, got {brief(bound)}")
        if float(np.finfo(dtype).max) < abs(bound) < np.inf:
            raise ValueError(f"{name} must be within the range of {np.dtype(dtype)}, got {bound}")
    lower, upper = bounds(lower, upper, 1)
    return float(lower[0]), float(upper[0])


def bounds(lower, upper, d):
    """Bounds (d,), -inf and inf allowed, lower <= upper."""
    lower, upper = _per_coordinate(lower, "lower", d), _per_coordinate(upper, "upper", d)
    for name, bound, forbidden in (("lower", lower, np.inf), ("upper", upper, -np.inf)):
        wrong = np.isnan(bound) | (bound == forbidden)
        if wrong.any():
            raise ValueError(f"{name} must hold numbers or {-forbidden}, got {bound[wrong][0]}")
    if (lower > upper).any():
        i = int(np.argmax(lower > upper))
        raise ValueError(f"lower must be <= upper, got lower {lower[i]} > upper {upper[i]} at index {i}")
    return lower, upper


def _per_coordinate(value, name, d):
    try:
        if np.asarray(value).dtype.kind not in "biufO":  # text would be read as numbers
            raise TypeError
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{name} must hold real numbers, got {brief(value)}") from None
    if array.shape not in ((), (d,)):
        raise ValueError(f"{name} must be a number or have shape ({d},), got shape {array.shape}")
    array = np.ascontiguousarray(np.broadcast_to(array, (d,))).view()
    array.flags.writeable = False  # whatever was given: a kernel is compiled for one kind of memory
    return array
