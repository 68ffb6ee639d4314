"""The multilabel losses of one example and their gradients.

`scores` (m,) are those of the example, and `member` (m,) tells which classes are its positives. Some are, some are not.
"""

import numpy as np

from .._projections.bipartite import bipartite_row


def hinge(scores, member, smoothing):
    """Returns max over (u, v) of <1/2 - s_Y, u> + <1/2 + s_N, v> - smoothing/2 (|u|^2 + |v|^2), sum u = sum v <= 1."""
    lowest, highest = scores[member].min(), scores[~member].max()
    if smoothing == 0:
        return max(0.0, 1 + (highest - lowest))
    # In u and v the terms are added up as they are. Sums over the positive coordinates, divided by the smoothing, would
    # lose digits. As sum u = sum v, a number may be subtracted from all scores.
    x = -hinge_gradient(scores, member, smoothing)
    return max(0.0, x[member].sum() - x @ (scores - highest) - smoothing / 2 * (x @ x))


def hinge_gradient(scores, member, smoothing):
    """Returns -u for the positives and v for the negatives."""
    gradient = np.zeros(len(scores))
    if smoothing == 0:  # of all subgradients, the one of the first lowest positive and the first highest negative
        positive = np.flatnonzero(member)[scores[member].argmin()]
        negative = np.flatnonzero(~member)[scores[~member].argmax()]
        if 1 + (scores[negative] - scores[positive]) > 0:
            gradient[positive], gradient[negative] = -1.0, 1.0
        return gradient
    u, v = bipartite_row(-scores[member], scores[~member], smoothing, offset=1.0)
    gradient[member], gradient[~member] = -u / smoothing, v / smoothing
    return gradient


def entropy(scores, member):
    """Returns log sum_j exp(s_j) - mean s_Y. Without the largest score, log1p keeps the digits of a small sum."""
    best = scores.argmax()
    others = np.delete(scores, best) - scores[best]
    return (scores[best] - scores[member]).mean() + np.log1p(np.exp(others).sum())


def entropy_gradient(scores, member):
    """Returns p - tau, where p = softmax(s) and tau is 1 / |Y| on the positives."""
    p = np.exp(scores - scores.max())
    gradient = p / p.sum()
    gradient[member] -= 1 / member.sum()
    if member.sum() == 1:  # then p - 1 loses the digits that the sum of the others has
        gradient[member] = -gradient[~member].sum()
    return gradient
