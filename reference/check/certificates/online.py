"""Certificates of passive-aggressive updates: numbers that are 0 only at the optimum of the problem in the weights.

That the weights move along the example only, what one class gives another receives, and how much each gives: all is
read off the answer and held against the optimality conditions. NumPy only, and no projection is computed.
"""

import numpy as np


def squish_column(x, z, lower=-np.inf, upper=np.inf):
    """KKT residual of argmin_x |z - x|^2  subject to  x_i <= x_0, lower <= x_i <= upper; the worst row of a batch."""
    x, z = np.asarray(x), np.asarray(z)
    if x.shape != z.shape or not _is_finite(x):
        return np.inf
    rows = zip(np.atleast_2d(x).astype(np.float64), np.atleast_2d(z).astype(np.float64), strict=True)
    return max(_squished(x, z, lower, upper) for x, z in rows)


def multiclass_update(B, A, x, y, *, margin=1.0, variant="pa", aggressiveness=1.0, k=1):
    """KKT residual of argmin_B 1/2 |B - A|^2 + penalty(loss of B), relative to the longest row of A or B.

    Everything is measured along the example, in units of the weights: a residual of r says that weights within about
    r of these are optimal. If x is 0 (too short to be divided by), every change is a mistake.
    """
    A, B, x = np.asarray(A), np.asarray(B), np.asarray(x, dtype=np.float64)
    if B.shape != A.shape or not _is_finite(B):
        return np.inf
    A, B = A.astype(np.float64), B.astype(np.float64)
    unit, length = max(_longest(A), _longest(B)), np.sqrt(x @ x)
    if length**2 < np.finfo(np.float64).tiny:
        return _relative(np.abs(B - A).max(), unit)
    if unit == 0:  # all classes tie, and a margin is missed by all of it
        return _relative(margin, 0.0)
    with np.errstate(over="ignore"):  # a bound without end is none
        scaled = margin / length / unit, aggressiveness * length / unit, 1 / (2 * aggressiveness) / length**2
    return float(_updated(A / unit, B / unit, x / length, y, variant, k, *scaled))


def _squished(x, z, lower, upper):
    """The others lie between lower and x_0, and the sum of squares has no slope in x_0, unless a bound stops it."""
    top, above = x[0], z[1:] > x[0]
    slope = top - z[0] - (z[1:] - top)[above].sum()
    apart = np.abs(x[1:] - np.clip(z[1:], lower, max(lower, top))).max(initial=0.0)
    slack = abs(top - np.clip(top - slope / (1 + np.count_nonzero(above)), lower, upper))
    return _relative(max(apart, slack), max(np.abs(z).max(), np.abs(x).max()))


def _updated(A, B, direction, y, variant, k, margin, most, slackness):
    """The residual where |x| = 1. `lowered` is by how much each rival gave way, `total` what it is all together.

    Each rival gives way by a share of the total, its weight in the gradient of the mean of the k largest scores: 1/k
    above the k-th largest, 0 below, between them where there is a tie. And the total is the slope of the penalty.
    """
    along, scores = (B - A) @ direction, B @ direction
    lowered, total = -np.delete(along, y), -np.delete(along, y).sum()
    across = _longest(B - A - np.outer(along, direction))
    behind = np.delete(scores, y) - scores[y]
    worst = np.sort(behind)[::-1][:k]
    # Without the margin, beside which the differences between rivals could be lost.
    shares = np.abs(lowered - np.clip(lowered + behind - worst[-1], 0.0, max(total, 0.0) / k)).max()
    loss = margin + worst.mean()
    if variant == "pa":
        slack = total - max(total + loss, 0.0)
    elif variant == "pa1":
        slack = total - np.clip(total + loss, 0.0, most)
    else:  # loss = slackness * total, divided by how fast the difference of the two sides changes with the total
        slack = total - max((total + loss) / (1 + slackness), 0.0)
    return max(across, abs(along[y] - total), -lowered.min(), shares, abs(slack))


def _relative(residual, unit):
    """Where all is 0 that a residual could be relative to, it is 0 or infinite."""
    return float(residual / unit if unit else np.inf if residual else 0.0)


def _is_finite(array):
    return array.dtype.kind in "fiu" and bool(np.isfinite(array).all())


def _longest(A):
    """The largest norm of a row; the squares of the largest and the smallest floats are no floats."""
    largest = np.abs(A).max()
    return largest and float(largest * np.linalg.norm(A / largest, axis=1).max())
