"""Certificates of the top-k entropy: numbers that are 0 only at the optimum, computed from the problem and the answer.

This module uses no solver, and has its own version of the losses: the threshold of the cap is found by bisection, and
nothing is sorted. It needs NumPy only; X may be a scipy CSR matrix.
"""

import numpy as np

from ..proofs.duality import ELEMENTARY, UNIT, Gram, Linear, rounding
from ..proofs.rounding import relative
from ..topk_svm.bounds import Multiclass, TopKHinge, bounds_of

HALVINGS = 200  # of a bracket, which is then as short as rounding allows


def topk_entropy(losses, scores, y, k=1):
    """Returns the largest difference from the definition, relative to 1 or the largest score."""
    values, _ = _topk_entropies(*_differences(scores, y), k)
    return _largest(losses - values, scores)


def topk_entropy_gradient(gradient, scores, y, k=1):
    """Returns the largest difference from the maximiser of the definition, relative to 1 or the largest score."""
    h, true = _differences(scores, y)
    return _largest(gradient - _in_scores(_topk_entropies(h, true, k)[1], true), scores)


def truncated_topk_entropy(losses, scores, y, k=1):
    """Returns the largest difference from the definition, relative to 1 or the largest score."""
    values, _ = _truncated(*_differences(scores, y), k)
    return _largest(losses - values, scores)


def truncated_topk_entropy_gradient(gradient, scores, y, k=1):
    """Returns the largest difference from the gradient, relative to 1 or the largest score.

    At a kink it is the gradient that forgives the rivals with the lowest indices.
    """
    h, true = _differences(scores, y)
    return _largest(gradient - _in_scores(_truncated(h, true, k)[1], true), scores)


def fit_topk_entropy(duals, X, y, *, weights=None, k=1, regularization, sample_weight=None):
    """Returns an upper bound of the relative suboptimality of weights, as `fit_topk_svm` does."""
    return bounds_of(duals, Linear(X), y, weights, loss_of(k), regularization, sample_weight).value


def fit_topk_entropy_kernel(duals, K, y, *, k=1, regularization, sample_weight=None):
    """Returns the same number if only the inner products K of the examples are known. The scores are K duals."""
    return bounds_of(duals, Gram(K), y, None, loss_of(k), regularization, sample_weight).value


def loss_of(k):
    """Returns the function of (y, m) that makes the top-k entropy."""
    return lambda y, m: TopKEntropy(y, m, k)


def fit_truncated_topk_entropy(weights, X, y, *, k=1, regularization, sample_weight=None):
    r"""Returns the norm of the gradient at the weights, relative to the mean of :math:`s_i \|x_i\|`: 0 at a stationary
    point.
    """
    X, weights = X.astype(np.float64), np.asarray(weights, dtype=np.float64)
    s = np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    h, true = _differences(X @ weights, y)
    slopes = s[:, None] * _in_scores(_truncated(h, true, k)[1], true)
    squares = X.multiply(X).sum(axis=1) if hasattr(X, "tocsr") else (X**2).sum(axis=1)
    unit = np.mean(s * np.sqrt(np.ravel(squares)))
    return relative(np.linalg.norm(regularization * weights + X.T @ slopes / len(y)), unit)


def truncated_primal(weights, X, y, *, k=1, regularization, sample_weight=None):
    """Returns the objective of `fit_truncated_topk_entropy` at the weights."""
    X, weights = X.astype(np.float64), np.asarray(weights, dtype=np.float64)
    s = np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    losses, _ = _truncated(*_differences(X @ weights, y), k)
    return float(regularization / 2 * np.sum(weights**2) + np.mean(s * losses))


def _differences(scores, y):
    """Returns h, with -inf for the true classes, and where the true classes are."""
    scores = np.asarray(scores).astype(np.float64)
    true = np.arange(scores.shape[1]) == np.asarray(y)[:, None]
    return np.where(true, -np.inf, scores - scores[true][:, None]), true


def _largest(differences, scores):
    return float(np.abs(differences).max() / max(1.0, float(np.abs(scores).max())))


def _in_scores(u, true):
    return np.where(true, -u.sum(axis=1, keepdims=True), u)


def _topk_entropies(h, true, k):
    """Returns the losses and the maximisers u, with 0 for the true classes.

    The best p is min(1/k, exp(h - c)) for the number c at which it sums to 1. No larger c than lse(h) is needed. The
    value is that of the Lagrangian, c + sum_j max over p_j <= 1/k of [p_j (h_j - c + 1) - p_j log p_j] - 1: an error of
    c changes it by the order of its square only.
    """
    high = np.logaddexp.reduce(h, axis=1)
    # With the k largest at the cap, the sum is 1 or more. A lower c would lose digits where the others are far below.
    low = np.minimum(-np.partition(-np.where(true, -np.inf, h), k - 1, axis=1)[:, k - 1] + np.log(k), high)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        is_last = not ((low < middle) & (middle < high)).any()
        too_much = np.minimum(h - middle[:, None], -np.log(k))
        below = np.logaddexp.reduce(too_much, axis=1) > 0
        low, high = np.where(below, middle, low), np.where(below, high, middle)
        if is_last:
            break
    p = np.exp(np.minimum(h - high[:, None], -np.log(k)))
    at_cap = np.maximum(h - high[:, None] + np.log(k), 0).sum(axis=1) / k
    values = high + at_cap + (p.sum(axis=1) - 1)
    losses = np.logaddexp(0, values)
    return losses, np.exp(values - losses)[:, None] * p


def _truncated(h, true, k):
    """Returns the truncated losses and the probabilities of the rivals that count."""
    counted = h.copy()
    for _ in range(k - 1):  # np.argmax returns the first of equal entries
        counted[np.arange(len(h)), counted.argmax(axis=1)] = -np.inf
    losses = np.logaddexp(0, np.logaddexp.reduce(counted, axis=1))
    return losses, np.exp(counted - losses[:, None])


class Softmax(Multiclass):
    """The cross-entropy. The shares are probabilities of the rivals, and their value is the entropy."""

    scalable = False

    def losses(self, differences):
        """Returns log(1 + sum_j exp(d_j)), (n,), accurate for tiny losses, too."""
        top = np.maximum(differences.max(axis=1), 0)
        rest = np.exp(differences - top[:, None]).sum(axis=1)
        return np.where(top > 0, top + np.log(np.exp(-top) + rest), np.log1p(rest))

    def gradients(self, differences):
        """Returns the probabilities (n, m - 1) of the rivals."""
        return np.exp(differences - self.losses(differences)[:, None])

    def plain(self, shares):
        """Returns the entropies up to rounding. The true class has what the rivals leave, exactly."""
        total = shares.sum(axis=1)
        own = -(1 - total) * np.log1p(-np.minimum(total, 1 - UNIT))
        return own + (-shares * np.log(np.where(shares > 0, shares, 1.0))).sum(axis=1)

    def values(self, shares):
        """Returns (lower bounds of the entropies, zeros)."""
        total, n_rivals = shares.sum(axis=1), shares.shape[1]
        unsure = np.maximum(rounding(4 * n_rivals) * total, np.finfo(np.float64).tiny)
        entropy = self.plain(shares) * (1 - rounding(n_rivals + ELEMENTARY))
        # |f(a) - f(b)| <= e (1 + |log e|) for f(t) = -t log t in 0..1 and |a - b| = e, because f is concave.
        return np.maximum(entropy - unsure * (1 - np.log(unsure)), 0), np.zeros(len(total))


class TopKEntropy(Softmax):
    """The top-k entropy. No share is above a k-th of their sum, and their value is the entropy, too."""

    def __init__(self, y, m, k):
        super().__init__(y, m)
        self.domain = TopKHinge(y, m, k, "alpha")

    def losses(self, differences):
        """Returns log(1 + exp(V)), (n,). V is off by the rounding of a sum, and moves as the differences do."""
        return self._losses_and_shares(differences)[0]

    def gradients(self, differences):
        """Returns the gradients (n, m - 1) in the differences, which are shares."""
        return self._losses_and_shares(differences)[1]

    def repaired(self, shares):
        """Returns shares in the domain of the top-k hinge."""
        return self.domain.repaired(shares)

    def values(self, shares):
        """Returns (lower bounds of the entropies, upper bounds of the distances), of the closest point."""
        (entropies, _), (_, outside) = super().values(shares), self.domain.values(shares)
        each = outside / shares.shape[1]  # the change of the entropy is largest if all shares move by as much
        logs = np.log(np.where(each > 0, each, 1.0))
        return np.maximum(entropies - 2 * outside * (1 + np.abs(logs)), 0), outside

    def _losses_and_shares(self, differences):
        return _topk_entropies(differences, np.zeros(differences.shape, bool), self.domain.k)
