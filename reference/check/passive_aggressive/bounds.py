"""Certificates of squished columns and passive-aggressive updates: numbers that are 0 only at the optimum.

The optimality conditions of an update are read off the answer: the weights move along the example only, the rows sum to
the same vector as before, and each rival moves by its share. NumPy only; no projection is computed.
"""

import numpy as np

from ..proofs.rounding import relative


def squish_column(x, z, lower=-np.inf, upper=np.inf):
    """Returns the largest KKT residual of a row: of `reference.squish_column`."""
    rows = zip(np.atleast_2d(x).astype(np.float64), np.atleast_2d(z).astype(np.float64), strict=True)
    return max(_squished(x, z, lower, upper) for x, z in rows)


def multiclass_update(B, A, x, y, *, margin=1.0, variant="pa", aggressiveness=1.0, k=1):
    """Returns the KKT residual of `reference.multiclass_update`, relative to the longest row of A or B.

    It is measured along the example, in units of the weights: a residual of r means that the optimal weights are within
    about r. If x is 0, or too short to divide by, the weights must not change.
    """
    A, B, x = (np.asarray(values, dtype=np.float64) for values in (A, B, x))
    if not np.isfinite(B).all():
        return np.inf
    unit, length = max(_longest(A), _longest(B)), np.sqrt(x @ x)
    if length**2 < np.finfo(np.float64).tiny:
        return relative(np.abs(B - A).max(), unit)
    if unit == 0:  # all scores are 0, so a positive margin is missed
        return relative(margin, 0.0)
    with np.errstate(over="ignore"):  # an infinite bound does not bind
        scaled = margin / length / unit, aggressiveness * length / unit, 1 / (2 * aggressiveness) / length**2
    return float(_updated(A / unit, B / unit, x / length, y, variant, k, *scaled))


def _squished(x, z, lower, upper):
    """Returns the residual of one row: x_i in [lower, x_0], and the slope in x_0 is 0 unless x_0 is on a bound."""
    top, above = x[0], z[1:] > x[0]
    slope = top - z[0] - (z[1:] - top)[above].sum()
    apart = np.abs(x[1:] - np.clip(z[1:], lower, max(lower, top))).max(initial=0.0)
    slack = abs(top - np.clip(top - slope / (1 + np.count_nonzero(above)), lower, upper))
    return relative(max(apart, slack), max(np.abs(z).max(), np.abs(x).max()))


def _updated(A, B, direction, y, variant, k, margin, most, slackness):
    """Returns the residual for |x| = 1. `lowered` is the decrease of each rival's score, `total` their sum.

    The decrease of a rival is total times its weight in a gradient of the mean of the k largest scores: 1/k above the
    k-th largest, 0 below it, and anything in between for a tie. The total is the slope of the penalty.
    """
    along, scores = (B - A) @ direction, B @ direction
    lowered, total = -np.delete(along, y), -np.delete(along, y).sum()
    across = _longest(B - A - np.outer(along, direction))
    behind = np.delete(scores, y) - scores[y]
    worst = np.sort(behind)[::-1][:k]
    # The margin is left out, because it could swallow the differences between rivals.
    shares = np.abs(lowered - np.clip(lowered + behind - worst[-1], 0.0, max(total, 0.0) / k)).max()
    loss = margin + worst.mean()
    if variant == "pa":
        slack = total - max(total + loss, 0.0)
    elif variant == "pa1":
        slack = total - np.clip(total + loss, 0.0, most)
    else:  # loss = slackness * total; the division makes the residual one of the total
        slack = total - max((total + loss) / (1 + slackness), 0.0)
    return max(across, abs(along[y] - total), -lowered.min(), shares, abs(slack))


def _longest(A):
    """Returns the largest norm of a row, scaled so that squares neither overflow nor underflow."""
    largest = np.abs(A).max()
    return largest and float(largest * np.linalg.norm(A / largest, axis=1).max())
