"""The primal problem of the top-k multiclass SVM as a convex programme for CVXPY, without duality.

Slow and obviously right, for some dozens of examples. `reference.topk_svm` explains the arguments.
"""

import cvxpy as cp
import numpy as np

from .. import contract
from ._solver import solve


def fit_topk_svm(X, y, *, k=1, kind="alpha", regularization, sample_weight=None):
    """argmin_W regularization/2 |W|^2 + mean loss. Returns (W, the minimum)."""
    X, y, m = contract.features_and_labels(X, y)
    k, kind = contract.count(k, "k", m - 1), contract.choice(kind, "kind", contract.KINDS)
    regularization = contract.positive(regularization, "regularization")
    s = contract.example_weights(sample_weight, len(y))
    return _minimise(X.astype(np.float64), y, m, k, kind, regularization, s)


def fit_topk_svm_kernel(K, y, *, k=1, kind="alpha", regularization, sample_weight=None):
    """The same problem, given the inner products K of the examples. Returns (scores (n, m), the minimum).

    The rows of F, with K = F F', are features with these inner products. The scores F W are unique, because W is.
    """
    K, y, m = contract.gram_and_labels(K, y)
    k, kind = contract.count(k, "k", m - 1), contract.choice(kind, "kind", contract.KINDS)
    regularization = contract.positive(regularization, "regularization")
    s = contract.example_weights(sample_weight, len(y))
    values, vectors = np.linalg.eigh(K.astype(np.float64))
    features = vectors * np.sqrt(np.maximum(values, 0))
    weights, primal = _minimise(features, y, m, k, kind, regularization, s)
    return features @ weights, primal


def _minimise(X, y, m, k, kind, regularization, sample_weight):
    # The solver's tolerances are absolute, so it is given features of size 1. This only changes the units of W.
    unit = np.abs(X).max() or 1.0
    W = cp.Variable((X.shape[1], m))
    total = sample_weight @ _losses((X / unit) @ W, y, m, k, kind)
    squared = cp.sum_squares(W) / unit**2
    solve(cp.Problem(cp.Minimize(regularization / 2 * squared + total / len(y))))
    weights = W.value / unit
    return weights, regularization / 2 * np.sum(weights**2) + total.value / len(y)


def _losses(scores, y, m, k, kind):
    """Eq. (3) or (5) of 004, one entry an example. "alpha" and "beta" rank the other classes only."""
    own = np.arange(m) == y[:, None]
    ranked = np.full(own.shape, True) if kind == "alpha_inclusive" else ~own
    margins = scores - cp.sum(cp.multiply(own, scores), axis=1, keepdims=True) @ np.ones((1, m)) + ~own
    margins = cp.reshape(cp.vec(margins, order="C")[ranked.ravel()], (len(y), -1), order="C")
    if kind == "beta":
        return _sum_largest(cp.pos(margins), k) / k
    return cp.pos(_sum_largest(margins, k)) / k


def _sum_largest(values, k):
    """The sum of the k largest of each row: min over t of k t + sum_j [values_j - t]_+ (`sum_largest` has no axis)."""
    t = cp.Variable((values.shape[0], 1))
    return cp.sum(cp.pos(values - t @ np.ones((1, values.shape[1]))), axis=1) + k * t[:, 0]
