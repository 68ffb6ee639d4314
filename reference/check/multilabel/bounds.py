"""Certificates of multilabel losses and fits: numbers that are 0 only at the optimum, or for the right loss.

This module uses no solver, and has its own version of the losses: the thresholds of the smooth hinge are found by
halving intervals. It needs NumPy only; X and Y may be scipy CSR matrices.
"""

import numpy as np

from ..proofs.duality import ELEMENTARY, UNIT, WORTHLESS, Linear, Objective, rounding

HALVINGS = 1100  # more than there are halvings between any float and 0


def multilabel_error(errors, scores, Y):
    """Returns the largest difference from the definition: 1 if a negative scores as much as a positive or more."""
    scores, Y = _arrays(scores, Y)
    lowest, highest = np.where(Y, scores, np.inf).min(axis=1), np.where(Y, -np.inf, scores).max(axis=1)
    return float(np.abs(errors - (highest >= lowest)).max())


def multilabel_hinge(losses, scores, Y, smoothing=0.0):
    """Returns the largest difference from the definition, relative to 1 or the largest score."""
    scores, Y = _arrays(scores, Y)
    return _largest(losses - _losses(scores, Y, "hinge", smoothing), scores)


def multilabel_entropy(losses, scores, Y):
    """Returns the largest difference from the definition, relative to 1 or the largest score."""
    scores, Y = _arrays(scores, Y)
    return _largest(losses - _losses(scores, Y, "entropy"), scores)


def multilabel_hinge_gradient(gradient, scores, Y, smoothing=0.0):
    """Returns the largest difference from (-u, v), relative to 1 or the largest score, over the smoothing if any."""
    scores, Y = _arrays(scores, Y)
    expected = np.zeros(scores.shape)
    for i in np.flatnonzero(_proper(Y)):
        expected[i] = _hinge_slopes(scores[i], Y[i], smoothing)
    return _largest((gradient - expected) * (smoothing or 1.0), scores)


def multilabel_entropy_gradient(gradient, scores, Y):
    """Returns the largest difference from the gradient of the definition, relative to 1 or the largest score."""
    scores, Y = _arrays(scores, Y)
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    expected = powers / powers.sum(axis=1, keepdims=True) - Y / np.maximum(Y.sum(axis=1, keepdims=True), 1)
    return _largest(gradient - np.where(_proper(Y)[:, None], expected, 0.0), scores)


def fit_multilabel(duals, X, Y, *, weights=None, loss="hinge", smoothing=0.0, regularization, sample_weight=None):
    """Returns an upper bound of the relative suboptimality of weights, as `fit_topk_svm` does."""
    return bounds_of(duals, X, Y, weights, loss, smoothing, regularization, sample_weight).value


def bounds_of(duals, X, Y, weights, loss, smoothing, regularization, sample_weight=None):
    """Returns the Bounds that duals (n, m), and weights (d, m) if there are any, prove."""
    Y, features = _indicator(Y), Linear(X)
    duals = np.asarray(duals.toarray() if hasattr(duals, "toarray") else duals)
    if duals.dtype.kind not in "fiu" or duals.shape != Y.shape or not np.isfinite(duals).all():
        return WORTHLESS
    duals = duals.astype(np.float64)
    point = features.at_duals(duals) if weights is None else features.at(np.asarray(weights, dtype=np.float64))
    return objective_of(X, Y, loss, smoothing, regularization, sample_weight).proof(duals, point)


def objective_of(X, Y, loss, smoothing, regularization, sample_weight=None):
    """Returns the Objective of `fit_multilabel`."""
    Y = _indicator(Y)
    kind = MultilabelHinge(Y, smoothing) if loss == "hinge" else MultilabelEntropy(Y)
    return Objective(Linear(X), kind, regularization, sample_weight)


class Multilabel:
    """Examples with the positives Y (n, m). One whose positives, or negatives, are missing has neither loss nor duals.

    The shares of an example have the size of a row of duals: -p for the negatives, p for the positives.
    """

    bounds_below = False

    def __init__(self, Y):
        self.Y, self.proper = Y, _proper(Y)
        self.n, self.m = Y.shape
        self.sign = np.where(self.proper[:, None], np.where(Y, 1.0, -1.0), 0.0)

    def rows(self, shares):
        """Returns the rows (n, m) of duals, in units of r, that the shares stand for."""
        return np.where(self.sign, self.sign * shares, 0.0)

    def shares(self, rows):
        """Returns the shares (n, m) of such rows."""
        return self.sign * rows

    def bounds(self, scores, off):
        """Returns (the losses up to rounding, upper bounds of them) of scores that are off by so much at most."""
        off = off + rounding(self.m + 4) * (1 + np.abs(scores).max(axis=1, keepdims=True))
        high = self.losses(scores, off)
        low = np.where(self.proper, self.losses(scores, np.zeros_like(scores)), 0.0)
        return low, np.where(self.proper, high * (1 + rounding(self.m + ELEMENTARY)), 0.0)


class MultilabelHinge(Multilabel):
    """The hinge, smooth or not: p >= 0, and positives and negatives have the same sum, at most 1.

    The value of p is ``1/2 sum p - smoothing/2 |p|^2``.
    """

    def __init__(self, Y, smoothing):
        super().__init__(Y)
        self.smoothing, self.scalable = smoothing, smoothing == 0

    def losses(self, scores, off):
        """Returns upper bounds of the losses. Any z gives one of the smooth hinge: the hinge at z and the distance.

        Two are tried. At the best one the hinge may be 0 but for rounding, and at the second, which is lower by that,
        it is 0.
        """
        h = np.where(self.Y, 0.5 - scores, 0.5 + scores) + off
        p = np.zeros_like(h)
        for i in np.flatnonzero(self.proper & (self.smoothing > 0)):
            moved = np.where(self.Y[i], 0.5 - h[i], h[i] - 0.5)  # scores
            p[i] = self.smoothing * np.abs(_hinge_slopes(moved, self.Y[i], self.smoothing))
        unsure, least = rounding(ELEMENTARY) * np.abs(h - p).max(axis=1), np.inf
        for lowered in (0, unsure) if self.smoothing > 0 else (0,):
            q = p + np.reshape(lowered, (-1, 1))
            low, high = (np.where(which, h - q, -np.inf).max(axis=1) for which in (self.Y, ~self.Y))
            far = (q * (q / self.smoothing)).sum(axis=1) / 2 if self.smoothing > 0 else 0.0
            least = np.minimum(least, np.maximum(low + high + unsure, 0) + far)
        return least

    def repaired(self, shares):
        """Returns shares >= 0 with equal sums of at most 1.

        Those of one side are lowered, and those of the other raised, by the same amount: this is the way to the closest
        ones. Then the larger sum is scaled to the smaller one, which changes much only if the shares were far off.
        """
        shares, sides = np.maximum(shares, 0), np.stack([self.Y, ~self.Y])
        sums = self._sums(shares)
        is_raised = (sums <= sums.min(axis=0))[:, :, None]
        may_move = sides & (is_raised | (shares > 0))
        amount = np.abs(sums[0] - sums[1]) / np.maximum(may_move.sum(axis=(0, 2)), 1)
        shares = np.maximum(shares + (np.where(is_raised, 1.0, -1.0) * may_move).sum(axis=0) * amount[:, None], 0)
        sums = self._sums(shares)
        factors = np.divide(np.minimum(sums.min(axis=0), 1.0), sums, out=np.zeros_like(sums), where=sums > 0)
        return shares * np.where(self.Y, *factors[:, :, None])

    def _sums(self, shares):
        """Returns the sums of the shares of the positives, and of the negatives, of each example."""
        return np.stack([np.where(which, shares, 0).sum(axis=1) for which in (self.Y, ~self.Y)])

    def plain(self, shares):
        """Returns the values up to rounding."""
        return np.where(self.proper, shares.sum(axis=1) / 2 - self.smoothing / 2 * (shares**2).sum(axis=1), 0.0)

    def values(self, shares):
        """Returns (lower bounds of the values, upper bounds of the distances), of the closest point of the domain."""
        sums = self._sums(shares)
        unsure = rounding(4 * self.m) * sums.sum(axis=0)
        apart = np.abs(sums[0] - sums[1]) + 2 * np.maximum(sums.max(axis=0) - 1, 0) + unsure
        squares = self.smoothing / 2 * (shares**2).sum(axis=1) * (1 + rounding(self.m + 4))
        squares = squares + self.smoothing * apart * (shares.max(axis=1) + apart)
        values = (sums.sum(axis=0) - apart - unsure) / 2 - squares
        return np.where(self.proper, values, 0.0), np.where(self.proper, apart, 0.0)


class MultilabelEntropy(Multilabel):
    """The entropy: ``tau - row`` is a distribution, where tau is uniform on the positives. The value is its entropy."""

    scalable = False

    def __init__(self, Y):
        super().__init__(Y)
        self.tau = 1 / np.maximum(Y.sum(axis=1), 1)[:, None]

    def losses(self, scores, off):
        """Returns upper bounds of the losses: a step of at most `off` changes one by its gradient times that and half
        a variance. This is at most four squares of the largest step, times the share of all classes but the best."""
        best = scores.max(axis=1, keepdims=True)
        first, sizes = np.arange(self.m) == scores.argmax(axis=1)[:, None], np.exp(scores - best)
        rest = np.where(first, 0.0, sizes).sum(axis=1)
        lost = (np.where(self.Y, best - scores, 0) * self.tau).sum(axis=1) + np.log1p(rest)
        slopes, far = np.abs(sizes / (1 + rest)[:, None] - np.where(self.Y, self.tau, 0.0)), off.max(axis=1)
        squares = 4 * far**2 * np.where(far < 0.1, np.minimum(rest, 1.0), 1.0)
        return lost + np.minimum((slopes * off).sum(axis=1) + squares, 2 * far)

    def repaired(self, shares):
        """Returns shares whose distribution is >= 0 and sums to 1: of what it gains and what it loses, less is kept."""
        rows = self.rows(shares)
        rows = np.where(self.Y, np.minimum(rows, self.tau), np.minimum(rows, 0.0))
        lost, gained = (np.maximum(part, 0).sum(axis=1, keepdims=True) for part in (rows, -rows))
        kept = np.minimum(lost, gained)
        factors = (np.divide(kept, part, out=np.zeros_like(part), where=part > 0) for part in (lost, gained))
        return self.shares(np.maximum(rows, 0) * next(factors) + np.minimum(rows, 0) * next(factors))

    def _terms(self, shares):
        """Returns the terms -p log p of the distributions, up to rounding."""
        rows = self.rows(shares)
        cut = np.maximum(np.where(self.Y, -rows / self.tau, 0.0), -1.0)  # p = tau (1 + cut) for the positives
        p = np.where(self.Y, self.tau * (1 + cut), np.maximum(-rows, 0))
        logs = np.where(self.Y, np.log(self.tau), 0.0) + np.log1p(np.where(cut > -1, cut, 0.0))
        return -p * np.where(self.Y, logs, np.log(np.where(p > 0, p, 1.0)))

    def plain(self, shares):
        """Returns the entropies up to rounding."""
        return np.where(self.proper, self._terms(shares).sum(axis=1), 0.0)

    def values(self, shares):
        """Returns (lower bounds of the entropies, upper bounds of the distances), of the closest distribution."""
        rows, terms = self.rows(shares), self._terms(shares)
        unsure = rounding(4 * self.m) * np.abs(rows).sum(axis=1)
        apart = np.abs(rows.sum(axis=1)) + unsure
        entropy = terms.sum(axis=1) - rounding(self.m + ELEMENTARY) * np.abs(terms).sum(axis=1)
        moved = apart + ELEMENTARY * UNIT * np.abs(rows).sum(axis=1)
        # |f(a) - f(b)| <= e (1 + |log e|) for f(t) = -t log t and |a - b| = e; the sum is largest for equal moves.
        each = np.where(moved > 0, moved / self.m, 1.0)
        entropy = np.maximum(entropy - moved * (1 + np.abs(np.log(each))), 0)
        return np.where(self.proper, entropy, 0.0), np.where(self.proper, apart, 0.0)


def _arrays(scores, Y):
    return np.asarray(scores).astype(np.float64), _indicator(Y)


def _indicator(Y):
    return np.asarray(Y.toarray() if hasattr(Y, "toarray") else Y) != 0


def _proper(Y):
    return Y.any(axis=1) & ~Y.all(axis=1)


def _largest(differences, scores):
    return float(np.abs(differences).max() / max(1.0, float(np.abs(scores).max())))


def _losses(scores, Y, loss, smoothing=0.0):
    """Returns the loss of each example."""
    losses = np.zeros(len(scores))
    for i in np.flatnonzero(_proper(Y)):
        row, member = scores[i], Y[i]
        if loss == "entropy":
            best = row.argmax()
            rest = np.exp(np.delete(row, best) - row[best]).sum()
            losses[i] = (row[best] - row[member]).mean() + np.log1p(rest)
        elif smoothing == 0:
            losses[i] = max(0.0, 1 + (row[~member].max() - row[member].min()))
        else:
            g = _hinge_slopes(row, member, smoothing)
            losses[i] = np.abs(g).sum() / 2 + g @ (row - row.max()) - smoothing / 2 * (g @ g)
    return losses


def _hinge_slopes(row, member, smoothing):
    """Returns -u for the positives and v for the negatives; of equal candidates, the first."""
    slopes, lowest, highest = np.zeros(len(row)), row[member].min(), row[~member].max()
    gap = 1 + (highest - lowest)
    if gap <= 0:
        return slopes
    if smoothing == 0:
        slopes[np.flatnonzero(member & (row == lowest))[0]] = -1.0
        slopes[np.flatnonzero(~member & (row == highest))[0]] = 1.0
        return slopes
    b, c = lowest - row[member], row[~member] - highest
    w = _root(lambda w: _raised(b, w) - smoothing, smoothing)
    z = _root(lambda z: _raised(c, z) - smoothing, smoothing)
    if w + z > gap:
        w = _root(lambda w: _raised(b, w) - _raised(c, gap - w), gap)
        z = gap - w
    slopes[member], slopes[~member] = -np.maximum(b + w, 0) / smoothing, np.maximum(c + z, 0) / smoothing
    return slopes


def _raised(a, w):
    return np.maximum(a + w, 0.0).sum()


def _root(function, high):
    """Returns the root of an increasing function between 0 and high."""
    low = 0.0
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        if not low < middle < high:
            break
        low, high = (middle, high) if function(middle) < 0 else (low, middle)
    return high
