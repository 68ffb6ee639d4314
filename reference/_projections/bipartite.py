"""The projection of one pair of vectors onto the bipartite simplex (Lapin, Hein and Schiele 2018, the multilabel SVM).

The answer is u = max(b - t, 0) and v = max(c - tau, 0). The multiplier of sum u <= radius is t + tau. All numbers below
are relative to the largest coordinates: t = max b - w and tau = max c - z, where the depths w and z are >= 0. Then
t + tau = gap - (w + z) with gap = max b + max c. So the digits of u and v are kept where |b| and |c| are large.
"""

from bisect import bisect_left

import numpy as np


def bipartite_row(b, c, radius, offset=0.0):
    """argmin 1/2 |u - b|^2 + 1/2 |v - c|^2  subject to  u, v >= 0, sum u = sum v <= radius. Returns (u, v).

    The offset is added to all coordinates of b, or of c: as both sums are equal, this is the same. Added to the points
    themselves, it could take the digits in which their coordinates differ.
    """
    gap = b.max() + c.max() + offset
    if radius == 0 or gap <= 0:
        return np.zeros(len(b)), np.zeros(len(c))
    b, c = b - b.max(), c - c.max()
    w, z = _depth(b, radius), _depth(c, radius)
    if w + z > gap:  # the multiplier of a full sum would be negative
        w = _balance(b, c, gap)
        z = gap - w
    return np.maximum(b + w, 0.0), np.maximum(c + z, 0.0)


def _depth(a, radius):
    """Returns the w with sum max(a + w, 0) = radius, where max a = 0."""
    descending = np.sort(a)[::-1]
    w = (radius - np.cumsum(descending)) / np.arange(1, len(a) + 1)
    return w[max(np.count_nonzero(descending + w > 0), 1) - 1]


def _balance(b, c, gap):
    """Returns the w in 0..gap with sum max(b + w, 0) = sum max(c + gap - w, 0).

    The left side increases with w, and the right side decreases. Both are linear between two corners, where a
    coordinate becomes positive or 0. A binary search finds between which two corners w is.
    """
    corners = np.unique(np.concatenate([[0.0, gap], -b[-b < gap], gap + c[gap + c > 0]]))
    after = bisect_left(
        corners, 0.0, 1, len(corners) - 1,
        key=lambda w: np.maximum(b + w, 0.0).sum() - np.maximum(c + (gap - w), 0.0).sum(),
    )  # fmt: skip
    low, high = corners[after - 1], corners[after]
    in_u, in_v = -b <= low, gap + c >= high
    return min(max((c[in_v].sum() + gap * in_v.sum() - b[in_u].sum()) / (in_u.sum() + in_v.sum()), low), high)
