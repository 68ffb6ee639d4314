"""Certificates of the top-k SVM: numbers that are 0 only at the optimum, computed from the problem and the duals alone.

This module uses no solver, and has its own version of the losses. It needs NumPy only; X may be a scipy CSR matrix.
"""

import numpy as np

from .rounding import tolerance

HALVINGS = 64  # of an interval of thresholds: it is then smaller than the rounding error of its ends


def topk_error(errors, scores, y, k=1):
    """Returns the largest difference from the definition: 1 if the k-th largest rival scores as much as y or more."""
    scores, own, rivals = _scores(scores, y)
    return _largest(errors - (-np.sort(-rivals, axis=1)[:, k - 1] >= own), 1.0)


def topk_hinge(losses, scores, y, k=1, kind="alpha", smoothing=0.0):
    """Returns the largest difference from the definition, relative to 1 or the largest score."""
    scores, own, rivals = _scores(scores, y)
    expected = _losses(1 + rivals - own[:, None], k, kind, smoothing)
    return _largest(losses - expected, max(1.0, float(np.abs(scores).max())))


def topk_hinge_gradient(gradient, scores, y, k=1, kind="alpha", smoothing=0.0):
    """Returns how far a gradient is from one, relative to its size.

    With smoothing it is the largest difference from the gradient, relative to 1 or to the size of the scores over the
    smoothing. Without, it is 0 for each subgradient: what a maximiser of <h, u> gains and u does not, relative to 1 or
    the largest score, plus the distance of u from the dual domain. In both cases, the sums of the rows are added.
    """
    scores, own, rivals = _scores(scores, y)
    true, margins = np.isneginf(rivals), 1 + rivals - own[:, None]
    u = np.where(true, 0.0, gradient)
    unbalanced, size = np.abs(np.sum(gradient, axis=1)).max(), float(np.abs(scores).max())
    if smoothing > 0:
        apart = u - _projection(margins, k, kind, smoothing) / smoothing
        return float(unbalanced + _largest(apart, max(1.0, max(1.0, size) / smoothing)))
    lost = _losses(margins, k, kind) - np.where(true, 0.0, np.where(true, 0.0, margins) * u).sum(axis=1)
    return float(unbalanced + _largest(lost, max(1.0, size)) + _outside(u, u.sum(axis=1), 1.0, k, kind).max())


def allowed_gap(tol, dtype, n):
    """Returns the largest relative gap that counts as `tol`, for n examples and duals of this dtype."""
    return tol + tolerance(dtype, n)


def fit_topk_svm(duals, X, y, *, k=1, kind="alpha", smoothing=0.0, regularization, sample_weight=None):
    r"""Returns the relative duality gap of (X, y, duals), plus the distance of the duals from their domain.

    The weights are recomputed as :math:`X^\top A` from the duals A. The primal bounds the optimum from above, and the
    dual of a feasible point bounds it from below. So a gap of 0 proves that both are optimal. Infeasible duals prove
    nothing, so their distance is added: that of the worst row, relative to :math:`r = 1 / (\lambda n)`, or the gain
    that all rows together can have, relative to the primal, whichever is larger. Returns inf for duals with NaN or of a
    wrong shape.

    Source: Paper 004 (Lapin, Hein, Schiele: Top-k Multiclass SVM, 2015), Theorem 1.
    """
    problem = {"k": k, "kind": kind, "smoothing": smoothing, "sample_weight": sample_weight}
    return float(sum(gap_and_outside(duals, X, y, regularization=regularization, **problem)))


def gap_and_outside(duals, X, y, **problem):
    """Returns the two terms of `fit_topk_svm`: the relative duality gap, and the distance of the duals."""
    duals, y, shape_is_right = _arrays(duals, y)
    if not shape_is_right:
        return np.inf, np.inf
    X = X.astype(np.float64)
    weights = X.T @ duals
    return _gap_and_infeasibility(duals, y, X @ weights, np.sum(weights**2), **problem)


def fit_topk_svm_kernel(duals, K, y, *, k=1, kind="alpha", smoothing=0.0, regularization, sample_weight=None):
    """Returns the same number if only the inner products K of the examples are known. The scores are K duals."""
    problem = {"k": k, "kind": kind, "smoothing": smoothing, "sample_weight": sample_weight}
    return float(sum(kernel_gap_and_outside(duals, K, y, regularization=regularization, **problem)))


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


def _gap_and_infeasibility(
    duals, y, scores, squared_norm, k, kind, regularization, sample_weight=None, smoothing=0.0
):  # fmt: skip
    n = len(y)
    s = np.ones(n) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    radius = 1 / (regularization * n)
    true = np.arange(scores.shape[1]) == y[:, None]
    penalty = regularization / 2 * squared_norm
    margins = np.where(true, -np.inf, 1 + scores - scores[true][:, None])
    primal = penalty + np.mean(s * _losses(margins, k, kind, smoothing))
    dual = regularization * duals[true].sum() - penalty - _smoothing_term(duals, true, s * radius, s, smoothing)
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


def _smoothing_term(duals, true, radius, sample_weight, smoothing):
    """Returns the mean of s_i smoothing/2 |u_i|^2, with u_i the duals of the rivals over s_i r."""
    u = np.divide(duals, radius[:, None], out=np.zeros(duals.shape), where=~true & (radius[:, None] > 0))
    return smoothing / 2 * np.mean(sample_weight * (u**2).sum(axis=1))


def _losses(margins, k, kind, smoothing=0.0):
    """Returns the loss of each row. The true class has margin -inf, so it ranks behind all rivals.

    The smooth loss is the smallest value of the hinge at z, plus |margins - z|^2 / (2 smoothing), over all z. Any z
    gives an upper bound, so the z of a rounded projection gives the loss up to rounding.
    """
    if smoothing > 0:
        p = _projection(margins, k, kind, smoothing)
        return _losses(margins - p, k, kind) + (p * (p / smoothing)).sum(axis=1) / 2
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


def _projection(margins, k, kind, radius):
    """Returns the projection of each row onto the dual domain of this radius, without a bias: clip(margins - t, 0, u).

    The caps of alpha and of alpha_inclusive grow with the sum at first. The answer with such a cap alone is right if
    its sum is at most that at which the cap stops growing. Otherwise the cap is radius/k, and the sum is what clipping
    at t = 0 gives, brought into its bounds.
    """
    share, cap = k - (kind == "alpha_inclusive" and k > 1), radius / k
    least = 0.0 if kind == "beta" else radius * share / k
    p = np.clip(margins, 0, cap)
    total = np.clip(p.sum(axis=1), least, radius)
    p = np.where((p.sum(axis=1) == total)[:, None], p, _with_sum(margins, k, total, cap))
    if kind != "beta":
        below = _with_growing_cap(margins, share)
        p = np.where((below.sum(axis=1) <= least)[:, None], below, p)
    return p


def _with_sum(margins, k, total, cap):
    """Returns clip(margins - t, 0, cap) with the t at which each row has its sum, which is at most k cap."""
    kth = -np.sort(-margins, axis=1)[:, k - 1]
    t = _bisect(lambda t: np.clip(margins - t, 0, cap).sum(axis=1) >= total, kth - cap, margins.max(axis=1))
    return np.clip(margins - t, 0, cap)


def _with_growing_cap(margins, k):
    """Returns the projection of each row onto 0 <= x <= (sum x)/k.

    It is clip(margins - t, 0, u), with t = -1/k sum max(margins - w, 0) for w = t + u (004, Lemma 3). The difference of
    its sum and k u does not increase in w.
    """
    descending = -np.sort(-margins, axis=1)

    def threshold(w):
        return -np.maximum(margins - w, 0).sum(axis=1, keepdims=True) / k

    def is_too_large(w):
        t = threshold(w)
        return np.clip(margins - t, 0, w - t).sum(axis=1) >= k * (w - t)[:, 0]

    largest = np.maximum(descending[:, 0], np.maximum(margins, 0).sum(axis=1) / k)
    w = _bisect(is_too_large, descending[:, k - 1], largest)
    t = threshold(w)
    is_zero = descending[:, :k].sum(axis=1) <= 0
    return np.where(is_zero[:, None], 0.0, np.clip(margins - t, 0, np.maximum(w - t, 0)))


def _bisect(goes_on, low, high):
    """Returns for each row the last number (n, 1) in low..high at which `goes_on` is true, up to rounding."""
    low, high = low[:, None], high[:, None]
    for _ in range(HALVINGS):
        middle = low + (high - low) / 2
        up = goes_on(middle)[:, None]
        low, high = np.where(up, middle, low), np.where(up, high, middle)
    return low
