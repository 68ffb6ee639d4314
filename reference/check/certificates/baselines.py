"""Certificates of TopPush and SVMperf: how far their weights are from the optimum at most.

The weights bound the optimum from above, and duals in their domain bound it from below. This module uses no solver, and
has its own version of both objectives. It needs NumPy only; X may be a scipy CSR matrix.
"""

import numpy as np

from .duality import ELEMENTARY, UNIT, WORTHLESS, Linear, bounds, exact_sum, rounding


def fit_top_push(weights, duals, X, relevant, *, regularization, sample_weight=None):
    """Returns an upper bound of the relative suboptimality (P(w) - min P) / P(w) of weights w, rounding included.

    The duals, brought into their domain, bound the minimum from below. The bound is inf for weights and duals with NaN
    or of a wrong shape.
    """
    problem = {"regularization": regularization, "sample_weight": sample_weight}
    return top_push_bounds(weights, duals, X, relevant, **problem).value


def fit_svm_perf(weights, duals, X, relevant, *, k, loss="recall", regularization, sample_weight=None):
    """Returns the same number for SVMperf."""
    problem = {"k": k, "loss": loss, "regularization": regularization, "sample_weight": sample_weight}
    return svm_perf_bounds(weights, duals, X, relevant, **problem).value


def top_push_bounds(weights, duals, X, relevant, *, regularization, sample_weight=None):
    """Returns the Bounds of TopPush: a positive pays the square of what it lacks to be 1 above the highest negative.

    Each row has a weight. Rows of weight 0 do not count, and have the dual 0. The duals are brought into their domain:
    those of a wrong sign become 0, and the larger of the two sums is scaled down to the smaller one.
    """
    features, relevant, weights, duals = _arrays(weights, duals, X, relevant)
    if duals is None:
        return WORTHLESS
    shares = _weights_of_samples(sample_weight, relevant)
    sides = positive, negative = relevant & (shares > 0), ~relevant & (shares > 0)
    s, total = shares[positive], exact_sum(shares[positive])
    scores, off, squared = features.at(weights)
    off = off + 4 * UNIT * (1 + np.abs(scores))
    objective, primal = (
        (regularization / 2 * squared + _lost((scores + moved)[negative], (scores - moved)[positive], s / total))
        for moved in (0.0, off)
    )

    inside = np.where(positive, np.maximum(duals, 0), np.where(negative, np.minimum(duals, 0), 0.0))
    sums = [abs(exact_sum(inside[side])) for side in sides]
    for side, size in zip(sides, sums, strict=True):
        inside[side] *= min(sums) / size if size > 0 else 0.0
    (dual, plain), (_, given) = (
        _top_push_dual(features, a, positive, s, total, regularization) for a in (inside, duals)
    )
    return bounds(primal * (1 + 32 * UNIT), dual, given, objective, max(dual, plain))


def _lost(negatives, positives, shares):
    return exact_sum(shares * np.maximum(1 + negatives.max() - positives, 0) ** 2)


def _top_push_dual(features, duals, positive, s, total, regularization):
    """Returns the dual objective: a lower bound of it at the best multiple of the duals (their domain is a cone), and
    at the duals themselves."""
    a = duals[positive]
    squared = features.squared(duals, ELEMENTARY * UNIT * np.abs(duals))[1]
    gain = exact_sum(a) / total
    bend = exact_sum(a**2 / s) / (4 * total) + squared / (2 * regularization * total**2)
    best = gain**2 / (4 * bend) * (1 - 64 * UNIT) if bend > 0 and gain > 0 else 0.0
    return best, gain - bend


def svm_perf_bounds(weights, duals, X, relevant, *, k, loss="recall", regularization, sample_weight=None):
    """Returns the Bounds of SVMperf: the loss of the worst selection of k samples, or 0 if that is negative.

    With weights, k is the weight of the selection, and a dual is at most the weight of its sample times sum(duals) / k.
    What exceeds this moves to samples below it.
    """
    features, relevant, weights, duals = _arrays(weights, duals, X, relevant)
    if duals is None:
        return WORTHLESS
    s = _weights_of_samples(sample_weight, relevant)
    scores, off, squared = features.at(weights)
    worst, unsure = worst_selection(scores, relevant, k, loss, s), _unsure(scores, off, relevant, k, s)
    penalty = regularization / 2 * squared
    primal = (penalty + max(0.0, worst + unsure)) * (1 + 32 * UNIT)

    inside = np.maximum(duals, 0)
    inside = inside * min(1.0, k / max(exact_sum(inside), k))
    cap = exact_sum(inside) / k * s
    excess, room = exact_sum(np.maximum(inside - cap, 0)), np.maximum(cap - inside, 0)
    inside = np.minimum(inside, cap) + room * (excess / max(exact_sum(room), excess) if excess > 0 else 0.0)
    problem = relevant, k, loss, s, regularization
    (dual, plain), (_, given) = (_svm_perf_dual(features, a, *problem) for a in (inside, duals))
    return bounds(primal, dual, given, penalty + max(0.0, worst), max(dual, plain))


def _svm_perf_dual(features, duals, relevant, k, loss, s, regularization):
    """Returns the dual objective: a lower bound of it at the closest point of the domain, or a fraction, and as given.

    `apart` is the distance of this point from the duals in the 1-norm. It moves X' missed by that times the largest
    entries of X.
    """
    n_positive, total = exact_sum(s[relevant]), exact_sum(duals) / k
    missed = np.where(relevant, total * s - duals, -duals)
    size = exact_sum(np.abs(duals))
    apart = 2 * exact_sum(np.maximum(duals - total * s, 0)) + (k + n_positive) * max(total - 1, 0.0)
    apart += rounding(ELEMENTARY) * size
    off = ELEMENTARY * UNIT * (np.abs(duals) + abs(total) * s)
    W, unsure = features.weights(missed, off)
    unsure = unsure + 2 * apart * features.largest().reshape(-1, *[1] * (W.ndim - 1))
    gain = exact_sum(missed[relevant]) / n_positive if loss == "recall" else -exact_sum(missed[~relevant]) / k
    given = gain - exact_sum(W**2) / (2 * regularization * n_positive**2)
    unit = n_positive if loss == "recall" else k
    gain -= (2 * apart + 8 * UNIT * size) / unit + (8 * UNIT * abs(total) if loss == "recall" else 0.0)
    bend = exact_sum((np.abs(W) + unsure) ** 2) / (2 * regularization * n_positive**2) * (1 + 32 * UNIT)
    scale = min(1.0, gain / (2 * bend)) if bend > 0 else 1.0
    return scale * gain - scale**2 * bend - 32 * UNIT * (abs(gain) + bend) if scale > 0 else 0.0, given


def _unsure(scores, off, relevant, k, s):
    """Returns by how much the worst selection may be off: by errors of the scores, and of the sums of the highest."""
    n_positive, size = exact_sum(s[relevant]), np.abs(scores)
    sums = exact_sum((s * size)[relevant]) + k * size.max()
    errors = exact_sum((s * off)[relevant]) + k * off.max()
    lightest = np.sort(s[~relevant])
    taken = min(lightest.size, int(np.searchsorted(np.cumsum(lightest), k)) + 1)  # negatives in a selection, at most
    whole = _is_whole(exact_sum(s), k, s.size)  # then no positive is missed, and the loss is exact
    terms = rounding(int(relevant.sum()) + taken + 8)
    return (errors + 2 * terms * (sums + (0.0 if whole else n_positive))) / n_positive


def _is_whole(total, k, n):
    """Returns whether a selection of weight k holds all n samples."""
    return k >= total * (1 - 2 * n * UNIT)


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
    if _is_whole(sizes[-1] + others[-1], k, relevant.size):
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


def _arrays(weights, duals, X, relevant):
    """Returns the features and the arrays in float64. The duals are None if they or the weights are malformed."""
    relevant = np.asarray(relevant).astype(bool)
    try:
        weights, duals = np.asarray(weights, dtype=np.float64), np.asarray(duals, dtype=np.float64)
    except (TypeError, ValueError):
        return None, relevant, None, None
    right = weights.shape == (X.shape[1], *relevant.shape[1:]) and duals.shape == relevant.shape
    if not (right and np.isfinite(weights).all() and np.isfinite(duals).all()):
        return None, relevant, None, None
    return Linear(X), relevant, weights, duals
