"""Certificates of multilabel losses and fits: numbers that are 0 only at the optimum, or for the right loss.

This module uses no solver, and has its own version of the losses: the thresholds of the smooth hinge are found by
halving intervals. It needs NumPy only; X and Y may be scipy CSR matrices.
"""

import numpy as np

from .rounding import tolerance

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


def allowed_gap(tol, dtype, n):
    """Returns the largest relative gap that counts as `tol`, for n examples and duals of this dtype."""
    return tol + tolerance(dtype, n)


def fit_multilabel(duals, X, Y, **problem):
    """Returns the relative duality gap of (X, Y, duals), plus the distance of the duals from their domain.

    The weights are recomputed as X' duals. The primal bounds the optimum from above, and the dual of a feasible point
    bounds it from below. Infeasible duals prove nothing, so their distance is added: that of the worst row, relative to
    r = 1 / (regularization n), or the gain that all rows together can have, relative to the primal, whichever is
    larger. Returns inf for duals with NaN or of a wrong shape.
    """
    return float(sum(multilabel_gap_and_outside(duals, X, Y, **problem)))


def multilabel_gap_and_outside(duals, X, Y, *, loss="hinge", smoothing=0.0, regularization, sample_weight=None):
    """Returns the two terms of `fit_multilabel`: the relative duality gap, and the distance of the duals."""
    Y = _indicator(Y)
    duals = np.asarray(duals.toarray() if hasattr(duals, "toarray") else duals)
    if duals.dtype.kind not in "fiu" or duals.shape != Y.shape or not np.isfinite(duals).all():
        return np.inf, np.inf
    X, duals, n = X.astype(np.float64), duals.astype(np.float64), len(Y)
    s = np.ones(n) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    radius = np.where(_proper(Y), s, 0.0) / (regularization * n)
    weights = X.T @ duals
    penalty = regularization / 2 * np.sum(weights**2)
    primal = penalty + np.mean(s * _losses(X @ weights, Y, loss, smoothing))
    dual = regularization * _gains(duals, Y, radius, loss, smoothing).sum() - penalty
    outside = _outside(duals, Y, radius, loss) * (regularization * n)
    infeasibility = max(outside.max(), outside.mean() / primal)
    return float(max((primal - dual) / primal, 0.0)), float(infeasibility)


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


def _gains(duals, Y, radius, loss, smoothing):
    """Returns what the duals of each example give: |a|_1 / 2 - gamma/(2 r) |a|^2, or r H(tau - a / r)."""
    r = np.where(radius > 0, radius, 1.0)
    if loss == "hinge":
        gains = np.abs(duals).sum(axis=1) / 2 - smoothing / (2 * r) * (duals**2).sum(axis=1)
        return np.where(radius > 0, gains, 0.0)
    tau = 1 / np.maximum(Y.sum(axis=1), 1)[:, None]
    shares = np.maximum(np.where(Y, 1 - duals / (r[:, None] * tau), -duals / r[:, None]), 0.0)
    p = np.where(Y, tau * shares, shares)
    cut = np.maximum(np.where(Y, -duals / (r[:, None] * tau), 0.0), -1 + np.finfo(np.float64).eps)
    logs = np.where(Y, np.log(tau) + np.log1p(cut), np.log(np.where(p > 0, p, 1.0)))
    return -radius * (p * logs).sum(axis=1)


def _outside(duals, Y, radius, loss):
    """Returns the distance of each row of duals from its domain. That of an example without a loss is zero."""
    total = np.where(Y, duals, 0.0).sum(axis=1)
    most = radius if loss == "hinge" else radius / np.maximum(Y.sum(axis=1), 1)
    over = np.where(Y, duals - most[:, None], duals).max(axis=1)
    under = np.where(Y & (loss == "hinge"), -duals, 0.0).max(axis=1)
    without = np.where(radius > 0, 0.0, np.abs(duals).max(axis=1))
    return np.maximum(np.max([np.abs(duals.sum(axis=1)), total - radius, over, under, without], axis=0), 0)
