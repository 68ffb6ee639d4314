"""Bounds for weights without duals: of their objective, and of the minimum. NumPy only; X may be a scipy CSR matrix.

The objective is ``P(W) = lambda/2 |W|^2 + 1/n sum_i s_i loss(d_i)``, where s_i is the weight of example i, and d_ij is
the score of rival j minus the score of the true class. A dual point has m - 1 shares p_ij >= 0 for each example. It
stands for the row of duals with -s_i r p_ij for the rivals, r = 1 / (lambda n), and a sum of 0. If all p_i are in the
domain of the loss, then::

    D(p) = 1/n sum_i s_i value(p_i) - lambda/2 |X' duals|^2  <=  P(W)  for all W.

The bounds hold for the numbers as they are stored: each of them includes what rounding may have changed on the way. A
sum of n rounded products is off by at most n u / (1 - n u) times the sum of their sizes, in any order, with u = 2^-53.
Only underflow is not covered.
"""

from typing import NamedTuple

import numpy as np

from .entropy import _topk_entropies
from .svm import _losses as hinges
from .svm import _projection

UNIT = 2.0**-53
ELEMENTARY = 16  # units by which NumPy's exp, log and log1p, and a few operations with their results, may be off


def rounding(terms):
    """Returns the largest relative error of a sum of so many rounded products, relative to the sum of their sizes."""
    return terms * UNIT / (1 - terms * UNIT)


class TopKHinge(NamedTuple):
    """The top-k hinge losses. The shares of a row are in the dual domain of radius 1, and their value is their sum."""

    k: int
    kind: str
    scalable = True  # c p is in the domain for all c in 0..1, and its value is c times that of p

    def bounds(self, least, most):
        """Returns the losses at two differences: lower and upper bounds, but for a relative rounding error."""
        return self.losses(least), self.losses(most)

    def losses(self, differences):
        """Returns the losses (n,). They do not fall when differences (n, m - 1) grow."""
        return hinges(1 + differences, self.k, self.kind)

    def values(self, shares):
        """Returns (lower bounds of the values, upper bounds of the distances from the domain in the 1-norm), both (n,).

        Let c be the cap of a row and T <= 1 its sum. What exceeds the cap can be moved to coordinates below the cap:
        there is enough room, because (m - 1) c >= T. This changes the row by twice the excess.
        """
        total = shares.sum(axis=1)
        cap = np.full(len(total), 1 / self.k) if self.kind == "beta" else total / self.k
        if self.kind == "alpha_inclusive" and self.k > 1:
            cap = np.minimum(1 / self.k, total / (self.k - 1))
        excess = np.maximum(shares - cap[:, None], 0).sum(axis=1)
        unsure = rounding(8 * shares.shape[1]) * total
        return total - unsure, 2 * excess + np.maximum(total - 1, 0) + unsure


class SmoothTopKHinge(NamedTuple):
    """The smooth top-k hinge losses, with the domain of the hinge. The value is ``sum p - smoothing/2 |p|^2``."""

    k: int
    kind: str
    smoothing: float
    scalable = False

    def bounds(self, least, most):
        """Returns (lower bounds of the losses at the differences `least`, upper bounds at `most`), both (n,).

        Any point of the domain gives a lower bound: its value and its product with the differences. Any z gives an
        upper bound: the hinge at z, plus ``|1 + d - z|^2 / (2 smoothing)``.
        """
        margins, u = 1 + least, self.shares(least)
        sizes = np.abs(margins)
        certain, outside = self.values(u)
        low = certain + (least * u).sum(axis=1) - outside * sizes.max(axis=1)
        low -= rounding(4 * u.shape[1] + ELEMENTARY) * ((1 + sizes) * u).sum(axis=1)
        margins = 1 + most
        z = margins - _projection(margins, self.k, self.kind, self.smoothing)
        high = hinges(z, self.k, self.kind) + ((margins - z) * ((margins - z) / self.smoothing)).sum(axis=1) / 2
        return np.maximum(low, 0), high + rounding(z.shape[1] + ELEMENTARY) * (np.abs(z).max(axis=1) + high)

    def shares(self, differences):
        """Returns the gradients (n, m - 1) in the differences."""
        return _projection(1 + differences, self.k, self.kind, self.smoothing) / self.smoothing

    def values(self, shares):
        """As those of the hinge. To move a share into the domain changes the square by twice as much at most."""
        totals, outside = TopKHinge(self.k, self.kind).values(shares)
        squares = self.smoothing / 2 * (shares**2).sum(axis=1) * (1 + rounding(shares.shape[1] + 4))
        return totals - squares - self.smoothing * outside, outside


class Softmax:
    """The cross-entropy. The shares are probabilities of the rivals, and their value is the entropy."""

    scalable = False

    def bounds(self, least, most):
        """Returns the losses at two differences: the relative rounding errors of each are those of a few operations."""
        return self.losses(least), self.losses(most)

    def losses(self, differences):
        """Returns log(1 + sum_j exp(d_j)), (n,), accurate for tiny losses, too."""
        top = np.maximum(differences.max(axis=1), 0)
        rest = np.exp(differences - top[:, None]).sum(axis=1)
        return np.where(top > 0, top + np.log(np.exp(-top) + rest), np.log1p(rest))

    def shares(self, differences):
        """Returns the probabilities (n, m - 1) of the rivals."""
        return np.exp(differences - self.losses(differences)[:, None])

    def values(self, shares):
        """Returns (lower bounds of the entropies, zeros). The true class has what the rivals leave, exactly."""
        total, n_rivals = shares.sum(axis=1), shares.shape[1]
        unsure = np.maximum(rounding(4 * n_rivals) * total, np.finfo(np.float64).tiny)
        own = -(1 - total) * np.log1p(-np.minimum(total, 1 - UNIT))
        terms = -shares * np.log(np.where(shares > 0, shares, 1.0))
        entropy = (own + terms.sum(axis=1)) * (1 - rounding(n_rivals + ELEMENTARY))
        # |f(a) - f(b)| <= e (1 + |log e|) for f(t) = -t log t in 0..1 and |a - b| = e, because f is concave.
        return np.maximum(entropy - unsure * (1 - np.log(unsure)), 0), np.zeros(len(total))


class TopKEntropy(Softmax):
    """The top-k entropy. No share is above a k-th of their sum, and their value is the entropy, too."""

    def __init__(self, k):
        self.k = k

    def losses(self, differences):
        """Returns log(1 + exp(V)), (n,). V is off by the rounding of a sum, and moves as the differences do."""
        return self._losses_and_shares(differences)[0]

    def shares(self, differences):
        """Returns the gradients (n, m - 1) in the differences."""
        return self._losses_and_shares(differences)[1]

    def values(self, shares):
        """Returns (lower bounds of the entropies in the domain, the distances from it in the 1-norm), both (n,)."""
        entropies, _ = super().values(shares)
        total, n_rivals = shares.sum(axis=1), shares.shape[1]
        outside = 2 * np.maximum(shares - total[:, None] / self.k, 0).sum(axis=1) + rounding(8 * n_rivals) * total
        each = outside / n_rivals  # the change of the entropy is largest if all shares move by as much
        logs = np.log(np.where(each > 0, each, 1.0))
        return np.maximum(entropies - 2 * outside * (1 + np.abs(logs)), 0), outside

    def _losses_and_shares(self, differences):
        return _topk_entropies(differences, np.zeros(differences.shape, bool), self.k)


class Objective:
    """P(W) of examples with weights s, for one of the losses, and its dual."""

    def __init__(self, X, y, n_classes, loss, regularization, sample_weight):
        self.X, self.y, self.loss = X if X.dtype == np.float64 else X.astype(np.float64), y, loss
        self.n, self.d, self.m = *X.shape, n_classes
        self.regularization, self.s = regularization, sample_weight
        self.rivals = np.arange(n_classes) != y[:, None]
        is_sparse = hasattr(X, "tocsr")
        squares = self.X.multiply(self.X).sum(axis=1) if is_sparse else np.einsum("ij,ij->i", self.X, self.X)
        self.norms = np.sqrt(np.ravel(squares)) * (1 + rounding(self.d + 4))  # upper bounds

    def differences(self, weights):
        """Returns (d (n, m - 1), by how much each row may be off (n, 1))."""
        scores = self.X @ weights
        own = np.take_along_axis(scores, self.y[:, None], axis=1)
        longest = 2 * np.sqrt((weights**2).sum(axis=0).max()) * (1 + rounding(self.d))
        off = rounding(self.d + 8) * longest * self.norms + 8 * UNIT * np.abs(scores).max(axis=1)
        return (scores - own)[self.rivals].reshape(self.n, self.m - 1), off[:, None]

    def primal(self, weights):
        """Returns (lower bound, upper bound) of P(W)."""
        differences, off = self.differences(weights)
        off += rounding(self.m + 4) * (1 + np.abs(differences).max(axis=1, keepdims=True))
        penalty = self.regularization / 2 * (weights**2).sum()
        share = rounding(self.d * self.m + self.n + self.m + ELEMENTARY)
        bounds = self.loss.bounds(differences - off, differences + off)
        low, high = (penalty + np.mean(self.s * losses) for losses in bounds)
        return float(low * (1 - share)), float(high * (1 + share))

    def duals(self, shares):
        """Returns the duals (n, m) that the shares (n, m - 1) stand for."""
        duals = np.empty((self.n, self.m))
        scaled = (self.s / (self.regularization * self.n))[:, None] * shares
        duals[self.rivals] = -scaled.ravel()
        np.put_along_axis(duals, self.y[:, None], scaled.sum(axis=1, keepdims=True), axis=1)
        return duals

    def shares(self, duals):
        """Returns the shares of given duals, from the rivals' alone."""
        radius = self.s / (self.regularization * self.n)
        rivals = -duals[self.rivals].reshape(self.n, -1)
        return np.divide(rivals, radius[:, None], out=np.zeros(rivals.shape), where=radius[:, None] > 0)

    def dual(self, shares, primal):
        """Returns (a lower bound of the minimum, the weights X' duals, the shares) for shares that may be anything.

        `primal` is an upper bound of the minimum. Shares outside of the domain are charged with what they can gain at
        the optimum, where ``|W*|^2 <= 2 primal / lambda``, and so ``1 + d_ij <= 1 + sqrt(2) |x_i| |W*|``.
        """
        shares = np.maximum(np.nan_to_num(shares, posinf=1.0), 0)
        total, safe = shares.sum(axis=1, keepdims=True), 1 - rounding(4 * self.m)
        shares = shares * np.where(total > safe, safe**2 / np.maximum(total, safe), 1.0)
        values, outside = self.loss.values(shares)
        duals = self.duals(shares)
        weights = self.X.T @ duals
        off = rounding(self.n + self.m + 16) * (self.norms @ np.sqrt((duals**2).sum(axis=1)))
        share = rounding(self.n + self.d * self.m + ELEMENTARY)
        charge = np.mean(self.s * outside * (1 + 2 * self.norms * np.sqrt(primal / self.regularization))) * (1 + share)
        gain = np.mean(self.s * values) * (1 - share) - charge
        bend = self.regularization / 2 * (np.sqrt((weights**2).sum()) + off) ** 2 * (1 + share)
        scale = min(1.0, gain / (2 * bend)) if self.loss.scalable and bend > 0 else 1.0
        if not scale > 0:
            return 0.0, np.zeros_like(weights), np.zeros_like(shares)
        bound = scale * gain - scale**2 * bend - 8 * UNIT * (abs(gain) + bend)
        return float(max(bound, 0.0)), scale * weights, scale * shares
