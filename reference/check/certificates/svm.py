"""Certificates of the top-k SVM: numbers that are 0 only at the optimum, computed from the problem and the duals alone.

This module uses no solver, and has its own version of the losses. It needs NumPy only; X may be a scipy CSR matrix.
"""

import numpy as np

from .rounding import tolerance


def topk_error(errors, scores, y, k=1):
    """Returns the largest difference from the definition: 1 if the k-th largest rival scores as much as y or more."""
    scores, own, rivals = _scores(scores, y)
    return _largest(errors - (-np.sort(-rivals, axis=1)[:, k - 1] >= own), 1.0)


def topk_hinge(losses, scores, y, k=1, kind="alpha"):
    """Returns the largest difference from the definition, relative to 1 or the largest score."""
    scores, own, rivals = _scores(scores, y)
    return _largest(losses - _losses(1 + rivals - own[:, None], k, kind), max(1.0, float(np.abs(scores).max())))


def allowed_gap(tol, dtype, n):
    """Returns the largest relative gap that counts as `tol`, for n examples and duals of this dtype."""
    return tol + tolerance(dtype, n)


def fit_topk_svm(duals, X, y, *, k=1, kind="alpha", regularization, sample_weight=None):
    """Returns the relative duality gap of (X, y, duals), plus the distance of the duals from their domain.

    The weights are recomputed as X' duals. The primal bounds the optimum from above, and the dual of a feasible point
    bounds it from below. A gap of 0 proves that both are optimal (004, Theorem 1). Infeasible duals prove nothing, so
    their distance is added: that of the worst row, relative to r = 1 / (regularization n), or the gain that all rows
    together can have, relative to the primal, whichever is larger. Returns inf for duals with NaN or of a wrong shape.
    """
    problem = {"k": k, "kind": kind, "regularization": regularization, "sample_weight": sample_weight}
    return float(sum(gap_and_outside(duals, X, y, **problem)))


def gap_and_outside(duals, X, y, **problem):
    """Returns the two terms of `fit_topk_svm`: the relative duality gap, and the distance of the duals."""
    duals, y, shape_is_right = _arrays(duals, y)
    if not shape_is_right:
        return np.inf, np.inf
    X = X.astype(np.float64)
    weights = X.T @ duals
    return _gap_and_infeasibility(duals, y, X @ weights, np.sum(weights**2), **problem)


def fit_topk_svm_kernel(duals, K, y, *, k=1, kind="alpha", regularization, sample_weight=None):
    """Returns the same number if only the inner products K of the examples are known. The scores are K duals."""
    problem = {"k": k, "kind": kind, "regularization": regularization, "sample_weight": sample_weight}
    return float(sum(kernel_gap_and_outside(duals, K, y, **problem)))


def kernel_gap_and_outside(duals, K, y, **problem):
    """Returns the two terms of `fit_topk_svm_kernel`."""
    duals, y, shape_is_right = _arrays(duals, y)
    if not shape_is_right:
        return np.inf, np.inf
    scores = np.asarray(K, dtype=np.float64) @ duals
    return _gap_and_infeasibility(duals, y, scores, np.sum(scores * duals), **problem)


def fit_topk_svm_parts(duals, X, y, parts, **problem):
    """Returns the number of `fit_topk_svm`: how the examples were cut into parts proves nothing."""
    return fit_topk_svm(duals, X, y, **problem)


def _arrays(duals, y):
    y = np.asarray(y)
    try:
        duals = np.asarray(duals.toarray() if hasattr(duals, "toarray") else duals, dtype=np.float64)
    except (TypeError, ValueError):
        return None, y, False
    return duals, y, duals.shape == (len(y), y.max() + 1) and bool(np.isfinite(duals).all())


def _gap_and_infeasibility(duals, y, scores, squared_norm, k, kind, regularization, sample_weight=None):
    n = len(y)
    s = np.ones(n) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    radius = 1 / (regularization * n)
    true = np.arange(scores.shape[1]) == y[:, None]
    penalty = regularization / 2 * squared_norm
    margins = np.where(true, -np.inf, 1 + scores - scores[true][:, None])
    primal = penalty + np.mean(s * _losses(margins, k, kind))
    dual = regularization * duals[true].sum() - penalty
    outside = _outside(-duals[~true].reshape(n, -1), duals[true], s * radius, k, kind) / radius
    infeasibility = max(outside.max(), outside.mean() / primal)
    return float(max((primal - dual) / primal, 0.0)), float(infeasibility)


def _scores(scores, y):
    """Returns scores, those of the true classes, and those of the rivals, with -inf for the true class."""
    scores, y = np.asarray(scores).astype(np.float64), np.asarray(y)
    true = np.arange(scores.shape[1]) == y[:, None]
    return scores, scores[true], np.where(true, -np.inf, scores)


def _largest(differences, unit):
    return float(np.abs(differences).max() / unit)


def _losses(margins, k, kind):
    """Returns the loss of each row. The true class has margin -inf, so it ranks behind all rivals."""
    descending = -np.sort(-margins, axis=1)
    top = descending[:, :k]
    if kind == "beta":
        return np.where(top > 0, top, 0).sum(axis=1) / k
    average = top.sum(axis=1) / k
    if kind == "alpha_inclusive":
        average = np.maximum(average, descending[:, : k - 1].sum(axis=1) / k)
    return np.maximum(average, 0)


def _outside(x, own, radius, k, kind):
    """Returns the distance of each row of x, the negated duals of the rivals, from its domain."""
    total = x.sum(axis=1)
    if kind == "beta":
        cap = radius / k
    elif kind == "alpha" or k == 1:
        cap = total / k
    else:
        cap = np.minimum(radius / k, total / (k - 1))
    broken = [np.abs(own - total), total - radius, -x.min(axis=1), x.max(axis=1) - cap]
    return np.maximum(np.max(broken, axis=0), 0)
