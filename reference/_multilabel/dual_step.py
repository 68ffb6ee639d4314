"""The best row of duals of one example while all other rows are fixed, for both multilabel losses.

With s the scores without the example's own part of W, q = |x|^2 and r the radius, the row a maximises
    (what the loss gives for a) - <s, a> - q/2 |a|^2.
"""

import numpy as np

from .._projections.bipartite import bipartite_row
from .rows import entropy_gradient

MOST_STEPS = 100  # of Newton's method, which needs about ten
EXACT = 4 * np.finfo(np.float64).eps  # relative: a smaller step changes nothing


def best_row(scores, row, squared_norm, member, options):
    """Returns the best row of duals. An example without a positive or a negative, or of weight 0, has zeros."""
    if options.radius == 0 or member.all() or not member.any():
        return np.zeros(len(row))
    others = scores - squared_norm * row
    step = _hinge_row if options.loss == "hinge" else _entropy_row
    return step(others, member, squared_norm, options)


def _hinge_row(scores, member, squared_norm, options):
    """A projection onto the bipartite simplex: a = u on the positives, a = -v on the negatives."""
    best, radius = np.zeros(len(scores)), options.radius
    curvature = squared_norm + options.smoothing / radius
    if curvature == 0:  # a linear programme; the first positive and the first negative are an optimal vertex
        best[member.argmax()], best[(~member).argmax()] = radius, -radius
        return best
    b, c = -scores[member] / curvature, scores[~member] / curvature
    best[member], v = bipartite_row(b, c, radius, offset=1 / curvature)
    best[~member] = -v
    return best


def _entropy_row(scores, member, squared_norm, options):
    """The row a = r (tau - p). Let alpha = q r, let omega(z) be the solution of omega + log omega = z, and let
    c = s + alpha tau. Then alpha p = omega(c - t), for the t with sum alpha p = alpha.

    A positive has alpha p near alpha tau if its score is high. So the root is found from d = alpha (tau - p), which
    keeps its digits: the sum of d over the positives is the sum of alpha p over the negatives.
    """
    radius, alpha = options.radius, squared_norm * options.radius
    if alpha < np.finfo(np.float64).tiny:
        return -radius * entropy_gradient(scores, member)
    share, t = alpha / member.sum(), _left_end(scores, member, alpha)
    for _ in range(MOST_STEPS):  # the difference of the sums increases with t and is concave: t increases to the root
        d, slopes = _deficits(scores[member], share, t)
        omega = _wright_omega(scores[~member] - t)
        step = (omega.sum() - d.sum()) / (slopes.sum() + (omega / (1 + omega)).sum())
        t += step
        if step <= EXACT * max(abs(t), 1.0):
            break
    d, omega = _deficits(scores[member], share, t)[0], _wright_omega(scores[~member] - t)
    best = np.empty(len(scores))
    best[member], best[~member] = d / squared_norm, -omega / squared_norm
    if member.sum() == 1:
        best[member] = -best[~member].sum()
    return best


def _left_end(scores, member, alpha):
    """Returns a t at which the largest term alone makes up the sum alpha: a lower bound of the root."""
    shares = np.where(member, alpha / member.sum(), 0.0)
    return (scores + (shares - alpha)).max() - np.log(alpha)


def _deficits(scores, share, t):
    """Returns d = share - omega(scores + share - t), and its slopes in t.

    d solves d - log1p(-d / share) = t - scores + log(share). Two steps of Newton's method give d the digits that it has
    lost where it is small beside the share.
    """
    omega = _wright_omega(scores + share - t)
    d, g = share - omega, t - scores + np.log(share)
    small = omega > share / 2
    for _ in range(2):
        rest = share - d[small]
        d[small] -= (d[small] - np.log1p(-d[small] / share) - g[small]) / (1 + 1 / rest)
    return d, omega / (1 + omega)


def _wright_omega(z):
    from scipy.special import wrightomega  # takes long to import, and only the entropy needs it

    return wrightomega(z)
