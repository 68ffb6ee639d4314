"""Checks of the sets that are projected onto: totals, bounds and weights."""

import numpy as np

from .arguments import LARGEST, LARGEST_NUMBER, PLAIN_NUMBERS, brief, finite_number, real_array, too_large

FLOAT64 = np.dtype(np.float64)
TOTAL_ROUNDINGS = 8  # the bounds, their sum and the total have been rounded a few times each


def knapsack(total, lower, upper, weights, d, dtype):
    """Returns (total, lower, upper, weights) of {<weights, x> = total, lower <= x <= upper}, arrays of float64 (d,)."""
    total = finite_number(total, "total", LARGEST[dtype])
    lower, upper = bounds(lower, upper, d, dtype)
    weights = _per_coordinate(1.0 if weights is None else weights, "weights", d, LARGEST[dtype])
    least = 1 / LARGEST_NUMBER  # the square of a smaller one would be 0
    wrong = ~((weights >= least) & (weights < np.inf))
    if wrong.any():
        raise ValueError(f"weights must be finite and > 0, at least {least:.7g}, got {weights[wrong][0]}")
    ends = (weights * lower).sum(), (weights * upper).sum()
    sizes = np.abs(weights * lower).sum(), np.abs(weights * upper).sum()
    _reachable(total, ends, sizes, dtype)
    return total, lower, upper, weights


def one_cap(total, zero, cap, d, dtype):
    """Returns (total, cap) of {sum x = total, 0 <= x <= cap}. The checks are those of `knapsack`, in O(1)."""
    largest = LARGEST[dtype]
    total = finite_number(total, "total", largest)
    if type(zero) in PLAIN_NUMBERS and type(cap) in PLAIN_NUMBERS and cap <= largest and 0 < total < d * cap:
        return total, float(cap)
    _, cap = bounds(zero, cap, 1, dtype)
    most = d * float(cap[0])
    _reachable(total, (0.0, most), (0.0, most), dtype)
    return total, float(cap[0])


def _reachable(total, ends, sizes, dtype):
    """Refuse a total outside `ends`, the sums of the bounds, by more than roundings; `sizes` sum their magnitudes.

    A sum of d rounded bounds, such as 10 times 0.1, need not be exactly the total that was meant.
    """
    rounding = TOTAL_ROUNDINGS * float(np.finfo(dtype).eps)
    for end, size, sign in zip(ends, sizes, (1, -1), strict=True):
        if np.isfinite(end) and sign * (end - total) > rounding * (size + abs(total)):
            raise ValueError(f"total must be within {ends[0]}..{ends[1]}, the range of the bounds, got {total}")


def interval(lower, upper, dtype=FLOAT64):
    """Returns two bounds for all coordinates as floats. Each is infinite or within LARGEST."""
    for name, bound in (("lower", lower), ("upper", upper)):
        if type(bound) is float:  # as most bounds are, and the questions take time
            continue
        if np.ndim(bound) != 0:
            raise ValueError(f"{name} must be one number, got shape {np.shape(bound)}")
        if np.asarray(bound).dtype.kind not in "iufO":
            raise ValueError(f"{name} must be a number, got {brief(bound)}")
    lower, upper = bounds(lower, upper, 1, dtype)
    return float(lower[0]), float(upper[0])


def bounds(lower, upper, d, dtype):
    """Returns two arrays of bounds (d,), lower <= upper; -inf is allowed in `lower` and inf in `upper`."""
    largest = LARGEST[dtype]
    lower, upper = _per_coordinate(lower, "lower", d, largest), _per_coordinate(upper, "upper", d, largest)
    for name, bound, forbidden in (("lower", lower, np.inf), ("upper", upper, -np.inf)):
        wrong = np.isnan(bound) | (bound == forbidden)
        if wrong.any():
            raise ValueError(f"{name} must hold numbers or {-forbidden}, got {bound[wrong][0]}")
    if (lower > upper).any():
        i = int(np.argmax(lower > upper))
        raise ValueError(f"lower must be <= upper, got lower {lower[i]} > upper {upper[i]} at index {i}")
    return lower, upper


def _per_coordinate(value, name, d, largest):
    """Returns a number or an array (d,) as a read-only float64 array (d,). Its finite entries are at most `largest`."""
    try:
        if np.asarray(value).dtype.kind not in "biufO":  # text would be converted to numbers
            raise TypeError
        array = np.asarray(value, dtype=np.float64)
    except OverflowError:  # an integer that is larger than any float
        raise ValueError(too_large(name, brief(value), largest)) from None
    except (TypeError, ValueError):
        raise ValueError(f"{name} must hold real numbers, got {brief(value)}") from None
    if array.shape not in ((), (d,)):
        raise ValueError(f"{name} must be a number or have shape ({d},), got shape {array.shape}")
    if type(value) is not float or largest < abs(value) < np.inf:  # most bounds are floats, and this takes time
        outside = (np.abs(array) > largest) & np.isfinite(array)
        if outside.any():
            raise ValueError(too_large(name, array[outside][0], largest))
    array = np.ascontiguousarray(np.broadcast_to(array, (d,))).view()
    array.flags.writeable = False  # in all cases, so that a kernel is compiled for one type of memory
    return array


def two_points(b, c):
    """Returns two points (d,) and (e,), or as many of each as rows, of one dtype. They need not be finite."""
    b, c = real_array(b, "b", (1, 2)), real_array(c, "c", (1, 2))
    if b.shape[:-1] != c.shape[:-1]:
        raise ValueError(f"c must have as many dimensions and rows as b of shape {b.shape}, got shape {c.shape}")
    dtype = np.result_type(b, c)
    return b.astype(dtype, copy=False), c.astype(dtype, copy=False)
