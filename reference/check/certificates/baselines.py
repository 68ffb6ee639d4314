"""Certificates of TopPush and SVMperf: numbers that are 0 only at the optimum, from the problem and the fit alone.

The weights bound the optimum from above, and duals in their domain bound it from below. This module uses no solver, and
has its own version of both objectives. It needs NumPy only; X may be a scipy CSR matrix.
"""

from typing import NamedTuple

import numpy as np

EPS = np.finfo(np.float64).eps  # a sum of n weights has an error of at most n EPS times itself


class Bounds(NamedTuple):
    """Bounds that weights and duals prove: dual <= optimum <= primal, if the duals are in their domain."""

    primal: float
    dual: float
    gap: float  # (primal - dual) / primal
    outside: float  # the share of the duals that is outside their domain


def fit_top_push(weights, duals, X, relevant, *, regularization, sample_weight=None):
    """Returns the relative duality gap of (X, relevant, weights, duals), plus the infeasible share of the duals.

    Infeasible duals prove nothing, so this share is added. Returns inf for weights and duals with NaN or of a wrong
    shape.
    """
    problem = {"regularization": regularization, "sample_weight": sample_weight}
    return _residual(top_push_bounds(weights, duals, X, relevant, **problem))


def fit_svm_perf(weights, duals, X, relevant, *, k, loss="recall", regularization, sample_weight=None):
    """Returns the same number for SVMperf."""
    problem = {"k": k, "loss": loss, "regularization": regularization, "sample_weight": sample_weight}
    return _residual(svm_perf_bounds(weights, duals, X, relevant, **problem))


def top_push_bounds(weights, duals, X, relevant, *, regularization, sample_weight=None):
    """Returns the Bounds of TopPush: a positive pays the square of what it lacks to be 1 above the highest negative.

    Each row has a weight. Rows of weight 0 do not count, and any dual of theirs is outside its domain.
    """
    X, relevant, weights, duals = _arrays(weights, duals, X, relevant)
    if duals is None:
        return None
    shares = _weights_of_samples(sample_weight, relevant)
    positive, negative = relevant & (shares > 0), ~relevant & (shares > 0)
    s, scores = shares[positive], X @ weights
    total, lacking = s.sum(), np.clip(1 + scores[negative].max() - scores[positive], 0, None)
    primal = _penalty(weights, regularization) + (s / total) @ lacking**2
    a = duals[positive]
    dual = (a.sum() - (a / s) @ a / 4) / total - _penalty(X.T @ duals / (regularization * total), regularization)
    wrong_sign = np.where(positive, duals < 0, np.where(negative, duals > 0, duals != 0))
    broken = abs(duals.sum()) + np.abs(duals[wrong_sign]).sum()
    return _bounds(primal, dual, broken, np.abs(duals).sum())


def svm_perf_bounds(weights, duals, X, relevant, *, k, loss="recall", regularization, sample_weight=None):
    """Returns the Bounds of SVMperf: the loss of the worst selection of k samples, or 0 if that is negative.

    With weights, k is the weight of the selection, and a dual is at most the weight of its sample times sum(duals) / k.
    """
    X, relevant, weights, duals = _arrays(weights, duals, X, relevant)
    if duals is None:
        return None
    s = _weights_of_samples(sample_weight, relevant)
    n_positive = s[relevant].sum()
    primal = _penalty(weights, regularization) + max(0.0, worst_selection(X @ weights, relevant, k, loss, s))
    total = duals.sum() / k
    missed = np.where(relevant, total * s - duals, -duals)
    lost = missed[relevant].sum() / n_positive if loss == "recall" else -missed[~relevant].sum() / k
    dual = lost - _penalty(X.T @ missed / (regularization * n_positive), regularization)
    broken = np.clip(-duals, 0, None).sum() + np.clip(duals - total * s, 0, None).sum() + k * max(total - 1, 0.0)
    return _bounds(primal, dual, broken, np.abs(duals).sum())


def allowed_gap(bounds, tol, rounding):
    """Returns the largest relative gap that counts as `tol`, if objectives of size 1 have this rounding error."""
    return tol + 4 * rounding * unit_of_gap(bounds)


def unit_of_gap(bounds):
    """Returns the factor by which the relative gap is rounded more than the objectives."""
    return max(1.0, 1 / bounds.primal) if bounds.primal > 0 else 1.0


def worst_selection(scores, relevant, k, loss, weights=None):
    """Returns the maximum over all S of size k of  loss(S) + F(S) - F(positives).

    For each number h of positives in S, the worst S holds the h highest positives and the k - h highest negatives. With
    weights, h and k are weights, and S may hold a part of a sample. The sums of the highest are then linear in h,
    except where no positive, or no negative, is selected in part. So the maximum is at one of these h.
    """
    relevant = np.ravel(relevant)
    weights = np.ones(relevant.size) if weights is None else np.ravel(weights)
    (sizes, sums), (others, sums_of_others) = (
        _highest(np.ravel(scores)[which], weights[which]) for which in (relevant, ~relevant)
    )
    found = np.clip(np.concatenate((sizes, k - others)), max(0.0, k - others[-1]), min(k, sizes[-1]))
    if k >= (sizes[-1] + others[-1]) * (1 - relevant.size * EPS):  # S holds all samples
        found = sizes[-1:]
    left_out = sums[-1] - np.interp(found, sizes, sums)
    taken = np.interp(k - found, others, sums_of_others)
    losses = 1 - found / sizes[-1] if loss == "recall" else 1 - found / k
    return float(np.max(losses + (taken - left_out) / sizes[-1]))


def _highest(scores, weights):
    """Returns (the weight, the weighted sum) of the 0, 1, 2, ... highest scores."""
    order = np.argsort(-scores, kind="stable")
    return tuple(np.append(0.0, np.cumsum(terms)) for terms in (weights[order], (weights * scores)[order]))


def _weights_of_samples(sample_weight, relevant):
    """Returns the weights of the rows, or ones, in the shape of the flags."""
    rows = np.ones(len(relevant)) if sample_weight is None else np.asarray(sample_weight, np.float64)
    return np.broadcast_to(rows.reshape(-1, *[1] * (relevant.ndim - 1)), relevant.shape)


def _residual(bounds):
    if bounds is None or not np.isfinite(bounds).all():
        return np.inf
    return float(max(bounds.gap, 0.0) + bounds.outside)


def _penalty(weights, regularization):
    return regularization / 2 * float(np.sum(weights**2))


def _bounds(primal, dual, broken, size):
    gap = (primal - dual) / primal if primal > 0 else abs(dual)  # the primal is 0 if all k = n samples are selected
    return Bounds(float(primal), float(dual), float(gap), float(broken / size) if broken else 0.0)


def _arrays(weights, duals, X, relevant):
    """Returns the arrays in float64. The duals are None if they or the weights are malformed."""
    relevant = np.asarray(relevant).astype(bool)
    try:
        weights, duals = np.asarray(weights, dtype=np.float64), np.asarray(duals, dtype=np.float64)
    except (TypeError, ValueError):
        return X, relevant, None, None
    right = weights.shape == (X.shape[1], *relevant.shape[1:]) and duals.shape == relevant.shape
    if not (right and np.isfinite(weights).all() and np.isfinite(duals).all()):
        return X, relevant, None, None
    return X.astype(np.float64), relevant, weights, duals
