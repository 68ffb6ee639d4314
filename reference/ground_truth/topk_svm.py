"""The primal problem of the top-k multiclass SVM as a convex programme for CVXPY, without duality.

Slow and obviously right, for some dozens of examples. `reference.topk_svm` explains the arguments.
"""

import numpy as np

from ..problems import checks
from ._solver import cp, solve


def fit_topk_svm(X, y, *, k=1, kind="alpha", smoothing=0.0, regularization, sample_weight=None):
    """``argmin_W regularization/2 |W|^2 + mean loss``. Returns (W, the minimum)."""
    X, y, m = checks.features_and_labels(X, y)
    loss = checks.topk_loss(k, kind, smoothing, m)
    regularization = checks.positive(regularization, "regularization")
    s = checks.example_weights(sample_weight, len(y))
    return _minimise(X.astype(np.float64), y, m, loss, regularization, s)


def fit_topk_svm_kernel(K, y, *, k=1, kind="alpha", smoothing=0.0, regularization, sample_weight=None):
    """The same problem, given the inner products K of the examples. Returns (scores (n, m), the minimum).

    The rows of F, with K = F F', are features with these inner products. The scores F W are unique, because W is.
    """
    K, y, m = checks.gram_and_labels(K, y)
    loss = checks.topk_loss(k, kind, smoothing, m)
    regularization = checks.positive(regularization, "regularization")
    s = checks.example_weights(sample_weight, len(y))
    values, vectors = np.linalg.eigh(K.astype(np.float64))
    features = vectors * np.sqrt(np.maximum(values, 0))
    weights, primal = _minimise(features, y, m, loss, regularization, s)
    return features @ weights, primal


def _minimise(X, y, m, loss, regularization, sample_weight):
    # The solver's tolerances are absolute, so it is given features of size 1. This only changes the units of W.
    unit = np.abs(X).max() or 1.0
    W = cp.Variable((X.shape[1], m))
    total = sample_weight @ _losses((X / unit) @ W, y, m, *loss)
    squared = cp.sum_squares(W) / unit**2
    solve(cp.Problem(cp.Minimize(regularization / 2 * squared + total / len(y))))
    weights = W.value / unit
    return weights, regularization / 2 * np.sum(weights**2) + total.value / len(y)


def _losses(scores, y, m, k, kind, smoothing):
    """Eq. (3) or (5) of 004, one entry an example. "alpha" and "beta" rank the other classes only.

    The smooth losses are the minimum over other margins z of the loss of z plus |margins - z|^2 / (2 smoothing).
    """
    own = np.arange(m) == y[:, None]
    ranked = np.full(own.shape, True) if kind == "alpha_inclusive" else ~own
    margins = scores - cp.sum(cp.multiply(own, scores), axis=1, keepdims=True) @ np.ones((1, m)) + ~own
    if smoothing > 0:  # the margin of the true class is no argument of the loss
        z = cp.Variable(own.shape)
        distances = cp.sum(cp.square(cp.multiply(~own, margins - z)), axis=1)
        return _losses_of(cp.multiply(~own, z), ranked, k, kind) + distances / (2 * smoothing)
    return _losses_of(margins, ranked, k, kind)


def _losses_of(margins, ranked, k, kind):
    """The losses of the ranked margins, (n, m) like the flags."""
    margins = cp.reshape(cp.vec(margins, order="C")[ranked.ravel()], (len(ranked), -1), order="C")
    if kind == "beta":
        return _sum_largest(cp.pos(margins), k) / k
    return cp.pos(_sum_largest(margins, k)) / k


def _sum_largest(values, k):
    """The sum of the k largest of each row: min over t of k t + sum_j [values_j - t]_+ (`sum_largest` has no axis)."""
    t = cp.Variable((values.shape[0], 1))
    return cp.sum(cp.pos(values - t @ np.ones((1, values.shape[1]))), axis=1) + k * t[:, 0]
