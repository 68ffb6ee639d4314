"""Certificates of the top-k entropy: numbers that are 0 only at the optimum, computed from the problem and the answer.

This module uses no solver, and has its own version of the losses: the threshold of the cap is found by bisection, and
nothing is sorted. It needs NumPy only; X may be a scipy CSR matrix.
"""

import numpy as np

from .svm import _arrays, _outside

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


def fit_topk_entropy(duals, X, y, *, k=1, regularization, sample_weight=None):
    """Returns the relative duality gap of (X, y, duals), plus the distance of the duals from their domain.

    The weights are recomputed as X' duals. The distance is that of `fit_topk_svm`. Returns inf for duals with NaN or of
    a wrong shape.
    """
    problem = {"k": k, "regularization": regularization, "sample_weight": sample_weight}
    return float(sum(entropy_gap_and_outside(duals, X, y, **problem)))


def entropy_gap_and_outside(duals, X, y, **problem):
    """Returns the two terms of `fit_topk_entropy`: the relative duality gap, and the distance of the duals."""
    duals, y, shape_is_right = _arrays(duals, y)
    if not shape_is_right:
        return np.inf, np.inf
    X = X.astype(np.float64)
    weights = X.T @ duals
    return _gap_and_infeasibility(duals, y, X @ weights, np.sum(weights**2), **problem)


def fit_topk_entropy_kernel(duals, K, y, *, k=1, regularization, sample_weight=None):
    """Returns the same number if only the inner products K of the examples are known. The scores are K duals."""
    problem = {"k": k, "regularization": regularization, "sample_weight": sample_weight}
    return float(sum(entropy_kernel_gap_and_outside(duals, K, y, **problem)))


def entropy_kernel_gap_and_outside(duals, K, y, **problem):
    """Returns the two terms of `fit_topk_entropy_kernel`."""
    duals, y, shape_is_right = _arrays(duals, y)
    if not shape_is_right:
        return np.inf, np.inf
    scores = np.asarray(K, dtype=np.float64) @ duals
    return _gap_and_infeasibility(duals, y, scores, np.sum(scores * duals), **problem)


def fit_truncated_topk_entropy(weights, X, y, *, k=1, regularization, sample_weight=None):
    r"""Returns the norm of the gradient at the weights, relative to the mean of :math:`s_i \|x_i\|`: 0 at a stationary
    point.
    """
    X, weights = X.astype(np.float64), np.asarray(weights, dtype=np.float64)
    s = np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    h, true = _differences(X @ weights, y)
    slopes = s[:, None] * _in_scores(_truncated(h, true, k)[1], true)
    squares = X.multiply(X).sum(axis=1) if hasattr(X, "tocsr") else (X**2).sum(axis=1)
    unit = np.mean(s * np.sqrt(np.ravel(squares))) or 1.0
    return float(np.linalg.norm(regularization * weights + X.T @ slopes / len(y)) / unit)


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
    low = np.where(true, np.inf, h).min(axis=1) - 1.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        too_much = np.minimum(h - middle[:, None], -np.log(k))
        below = np.logaddexp.reduce(too_much, axis=1) > 0
        low, high = np.where(below, middle, low), np.where(below, high, middle)
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


def _gap_and_infeasibility(duals, y, scores, squared_norm, k, regularization, sample_weight=None):
    n = len(y)
    s = np.ones(n) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    radius, true = 1 / (regularization * n), np.arange(scores.shape[1]) == y[:, None]
    penalty, x = regularization / 2 * squared_norm, -duals[~true].reshape(n, -1)
    losses, _ = _topk_entropies(*_differences(scores, y), k)
    primal = penalty + np.mean(s * losses)
    dual = np.mean(s * _entropies(x, s * radius)) - penalty
    outside = _outside(x, duals[true], s * radius, k, "alpha") / radius
    infeasibility = max(outside.max(), outside.mean() / primal)
    return float(max((primal - dual) / primal, 0.0)), float(infeasibility)


def _entropies(x, radius):
    """Returns the entropies of the shares x / radius of each row, with the true class, which has the rest of 1."""
    u = np.maximum(np.divide(x, radius[:, None], out=np.zeros(x.shape), where=radius[:, None] > 0), 0)
    rest = np.maximum(1 - u.sum(axis=1), 0)
    terms = u * np.log(np.where(u > 0, u, 1.0))
    return -terms.sum(axis=1) - rest * np.where(rest > 0.5, np.log1p(-np.minimum(u.sum(axis=1), 0.75)), _log(rest))


def _log(values):
    return np.log(np.where(values > 0, values, 1.0))
