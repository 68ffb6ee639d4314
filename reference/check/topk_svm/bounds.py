"""Certificates of the top-k SVM: how far its weights are from the optimum at most. NumPy only; X may be CSR.

The losses of one class an example depend on the differences d_j of the score of a rival j and that of the true class.
Each is the largest value of ``<p, d> + value(p)`` over shares p >= 0 of the m - 1 rivals in a domain.
"""

import numpy as np

from ..proofs.duality import ELEMENTARY, WORTHLESS, Gram, Linear, Objective, rounding
from .hinges import _largest, _projection, _scores
from .hinges import _losses as hinges


class Multiclass:
    """Examples with the classes y in 0..m-1. A row of duals sums to 0."""

    bounds_below = True

    def __init__(self, y, m):
        self.y, self.n, self.m = y, len(y), m
        self.rivals = np.arange(m) != y[:, None]

    def differences(self, scores):
        """Returns d (n, m - 1)."""
        own = np.take_along_axis(scores, self.y[:, None], axis=1)
        return (scores - own)[self.rivals].reshape(self.n, self.m - 1)

    def bounds(self, scores, off):
        """Returns (lower bounds, upper bounds) of the losses of scores that are off by so much at most.

        The losses do not fall when a difference grows. Rounding in a loss is that of a sum of m terms, which a move of
        each difference d by the same share of ``1 + |d|`` covers.
        """
        d = self.differences(scores)
        off = off + np.take_along_axis(off, self.y[:, None], axis=1)
        off = off[self.rivals].reshape(d.shape) + rounding(self.m + 4) * (1 + np.abs(d))
        low, high = self.between(d - off, d + off)
        share = rounding(self.m + ELEMENTARY)
        return low * (1 - share), high * (1 + share)

    def between(self, least, most):
        """Returns the losses at two differences."""
        return self.losses(least), self.losses(most)

    def rows(self, shares):
        """Returns the rows (n, m) of duals, in units of r, that the shares stand for."""
        rows = np.empty((self.n, self.m))
        rows[self.rivals] = -shares.ravel()
        np.put_along_axis(rows, self.y[:, None], shares.sum(axis=1, keepdims=True), axis=1)
        return rows

    def shares(self, rows):
        """Returns the shares (n, m - 1) of such rows. Their sum is what the true class has, where that is more.

        Both are the sum of a row, rounded. Shares with too small a sum would cost more than rounding does.
        """
        shares = -rows[self.rivals].reshape(self.n, self.m - 1)
        total, own = shares.sum(axis=1), rows[~self.rivals]
        return shares * np.divide(own, total, out=np.ones(self.n), where=(total > 0) & (own > total))[:, None]

    def repaired(self, shares, safe=None):
        """Returns shares >= 0 whose sum is at most 1, also after rounding if `safe` is not 1."""
        shares = np.maximum(np.nan_to_num(shares, posinf=1.0), 0)
        total, safe = shares.sum(axis=1, keepdims=True), 1 - rounding(4 * self.m) if safe is None else safe
        return shares * np.where(total > safe, safe**2 / np.maximum(total, safe), 1.0)

    def plain(self, shares):
        """Returns the values of the shares up to rounding, where `values` has lower bounds."""
        return self.values(shares)[0]


class TopKHinge(Multiclass):
    """The top-k hinge losses. The shares of a row are in the dual domain of radius 1, and their value is their sum."""

    scalable = True  # c p is in the domain for all c in 0..1, and its value is c times that of p

    def __init__(self, y, m, k, kind):
        super().__init__(y, m)
        self.k, self.kind = k, kind

    def losses(self, differences):
        """Returns the losses (n,)."""
        return hinges(1 + differences, self.k, self.kind)

    def cap(self, total):
        """Returns the largest share that a row with this sum may have."""
        if self.kind == "beta":
            return np.full_like(total, 1 / self.k)
        cap = total / self.k
        return cap if self.kind == "alpha" or self.k == 1 else np.minimum(1 / self.k, total / (self.k - 1))

    def repaired(self, shares, safe=None):
        """Returns shares in the domain, up to rounding. What exceeds the cap moves to coordinates below it.

        There is enough room, because m - 1 times the cap of a row is at least its sum.
        """
        shares = super().repaired(shares, safe)
        cap = self.cap(shares.sum(axis=1, keepdims=True))
        excess, room = np.maximum(shares - cap, 0).sum(axis=1, keepdims=True), np.maximum(cap - shares, 0)
        space = np.maximum(room.sum(axis=1, keepdims=True), excess)
        return np.minimum(shares, cap) + room * np.divide(excess, space, out=np.zeros_like(space), where=space > 0)

    def values(self, shares):
        """Returns (lower bounds of the values, upper bounds of the distances), of the closest point of the domain.

        To move what exceeds the cap changes a row by twice the excess, in the 1-norm, and its sum not at all. To scale
        a sum above 1 changes it by the rest.
        """
        total = shares.sum(axis=1)
        excess = np.maximum(shares - self.cap(total)[:, None], 0).sum(axis=1)
        unsure = rounding(8 * self.m) * np.abs(total)
        return np.minimum(total, 1) - unsure, 2 * excess + np.maximum(total - 1, 0) + unsure


class SmoothTopKHinge(TopKHinge):
    """The smooth top-k hinge losses, with the domain of the hinge. The value is ``sum p - smoothing |p|^2 / 2``."""

    scalable = False

    def __init__(self, y, m, k, kind, smoothing):
        super().__init__(y, m, k, kind)
        self.smoothing = smoothing

    def between(self, least, most):
        """Returns (lower bounds of the losses at the differences `least`, upper bounds at `most`), both (n,).

        Any point of the domain gives a lower bound: its value and its product with the differences. Any z gives an
        upper bound: the hinge at z, plus ``|1 + d - z|^2 / (2 smoothing)``. Two are tried. At the best one a hinge may
        be 0 but for the rounding of a sum, which counts in full; at the second, which is lower by that, it is 0.
        """
        u, sizes = self.gradients(least), np.abs(least)
        certain, outside = self.values(u)
        low = certain + (least * u).sum(axis=1) - outside * sizes.max(axis=1)
        low -= rounding(4 * u.shape[1] + ELEMENTARY) * ((1 + sizes) * u).sum(axis=1)
        margins, share = 1 + most, rounding(u.shape[1] + ELEMENTARY)
        p = _projection(margins, self.k, self.kind, self.smoothing)
        high = np.inf
        for lowered in (0, 2 * share * (np.abs(margins) + p).sum(axis=1, keepdims=True)):
            q = p + lowered
            z = margins - q + share * (np.abs(margins) + q)  # no hinge falls if z grows
            high = np.minimum(high, hinges(z, self.k, self.kind) + (q * (q / self.smoothing)).sum(axis=1) / 2)
        return np.maximum(low, 0), high * (1 + share)

    def gradients(self, differences):
        """Returns the gradients (n, m - 1) in the differences, which are shares."""
        return _projection(1 + differences, self.k, self.kind, self.smoothing) / self.smoothing

    def values(self, shares):
        """As those of the hinge. To move p by e changes ``|p|^2 / 2`` by at most e times the largest p, plus e."""
        totals, outside = super().values(shares)
        squares = self.smoothing / 2 * (shares**2).sum(axis=1) * (1 + rounding(shares.shape[1] + 4))
        return totals - squares - self.smoothing * outside * (shares.max(axis=1) + outside), outside


def topk_hinge_gradient(gradient, scores, y, k=1, kind="alpha", smoothing=0.0):
    """Returns how far a gradient is from one, relative to its size, or by how much a row of it does not sum to 0.

    With smoothing it is the largest difference from the gradient, relative to 1 or to the size of the scores over the
    smoothing. Without, it is 0 for each subgradient: the distance of the shares u of the rivals from the dual domain,
    or what a maximiser of <h, u> gains and the nearest u of the domain does not, relative to 1 or the largest score.
    """
    scores = _scores(scores, y)[0]
    domain, size = TopKHinge(np.asarray(y), scores.shape[1], k, kind), float(np.abs(scores).max())
    margins, u = 1 + domain.differences(scores), domain.shares(-np.asarray(gradient, dtype=np.float64))
    unbalanced = float(np.abs(np.sum(gradient, axis=1)).max())
    if smoothing > 0:
        apart = u - _projection(margins, k, kind, smoothing) / smoothing
        return max(unbalanced, _largest(apart, max(1.0, max(1.0, size) / smoothing)))
    inside = domain.repaired(u, safe=1.0)  # a bound that holds in spite of rounding would lose m roundings
    lost = hinges(margins, k, kind) - (margins * inside).sum(axis=1)
    return max(unbalanced, _largest(u - inside, 1.0), _largest(lost, max(1.0, size)))


def fit_topk_svm(duals, X, y, *, weights=None, k=1, kind="alpha", smoothing=0.0, regularization, sample_weight=None):
    r"""Returns an upper bound of the relative suboptimality (P(W) - min P) / P(W) of weights W.

    The duals, brought into their domain, bound the minimum from below. The weights are :math:`X^\top A` of the given
    duals A if they are not given. The bound includes rounding. It is inf for duals with NaN or of a wrong shape.

    Source: Paper 004 (Lapin, Hein, Schiele: Top-k Multiclass SVM, 2015), Theorem 1.
    """
    return bounds_of(duals, Linear(X), y, weights, hinge(k, kind, smoothing), regularization, sample_weight).value


def fit_topk_svm_kernel(duals, K, y, *, k=1, kind="alpha", smoothing=0.0, regularization, sample_weight=None):
    """Returns the same number if only the inner products K of the examples are known. The scores are K duals."""
    return bounds_of(duals, Gram(K), y, None, hinge(k, kind, smoothing), regularization, sample_weight).value


def fit_topk_svm_parts(duals, X, y, parts, **problem):
    """Returns the number of `fit_topk_svm`: how the examples were cut into parts proves nothing."""
    return fit_topk_svm(duals, X, y, **problem)


def hinge(k=1, kind="alpha", smoothing=0.0):
    """Returns the function of (y, m) that makes the loss."""
    if smoothing > 0:
        return lambda y, m: SmoothTopKHinge(y, m, k, kind, smoothing)
    return lambda y, m: TopKHinge(y, m, k, kind)


def bounds_of(duals, features, y, weights, loss, regularization, sample_weight=None):
    """Returns the Bounds that duals (n, m), and weights (d, m) if there are any, prove for a loss of (y, m)."""
    y = np.asarray(y)
    try:
        duals = np.asarray(duals.toarray() if hasattr(duals, "toarray") else duals, dtype=np.float64)
    except (TypeError, ValueError):
        return WORTHLESS
    m = int(y.max()) + 1
    if duals.shape != (len(y), m) or not np.isfinite(duals).all():
        return WORTHLESS
    if isinstance(features, Gram) and not features.is_semidefinite():
        return WORTHLESS
    point = features.at_duals(duals) if weights is None else features.at(np.asarray(weights, dtype=np.float64))
    return Objective(features, loss(y, m), regularization, sample_weight).proof(duals, point)
