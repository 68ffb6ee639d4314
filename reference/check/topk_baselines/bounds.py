"""Certificates of TopPush and SVMperf: how far their weights are from the optimum at most.

The weights bound the optimum from above, and duals in their domain bound it from below. This module uses no solver, and
has its own version of both objectives. It needs NumPy only; X may be a scipy CSR matrix.
"""

import numpy as np

from ..proofs.duality import ELEMENTARY, UNIT, Linear, bounds, exact_sum, rounding

HALVINGS = 64  # of an interval of thresholds
TINY = np.finfo(np.float64).tiny
SPLIT = 2.0**27 + 1  # cuts a number of 53 digits into two halves


def top_push_bounds(weights, duals, X, relevant, *, regularization, sample_weight=None):
    """Returns the Bounds of TopPush: a positive pays the square of what it lacks to be 1 above the highest negative.

    Each row has a weight. Rows of weight 0 do not count, and have the dual 0. The duals are brought into their domain:
    those of a wrong sign become 0, and the larger of the two sums is scaled down to the smaller one.
    """
    features, relevant, weights, duals = _arrays(weights, duals, X, relevant)
    shares = _weights_of_samples(sample_weight, relevant)
    sides = positive, negative = relevant & (shares > 0), ~relevant & (shares > 0)
    s, total = shares[positive], exact_sum(shares[positive])
    scores, off, squared = features.at(weights)
    off = off + 4 * UNIT * (1 + np.abs(scores))
    objective, primal = (
        (
            max(regularization / 2 * squared, TINY * (squared > 0))
            + _lost((scores + moved)[negative], (scores - moved)[positive], s / total)
        )
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
    unit = float(np.abs(duals).max(initial=0.0)) or 1.0  # the domain is a cone: no small duals underflow
    a = (duals := duals / unit)[positive]
    squared = features.squared(duals, ELEMENTARY * UNIT * np.abs(duals))[1]
    size = 2.0 ** min(0.0, np.floor(np.log2(total)))  # weights are relative: if all are small, none underflows
    s, total, unit = s / size, total / size, unit / size
    gain = exact_sum(a) / total
    bend = exact_sum(a**2 / s) / (4 * total) + squared / (2 * regularization * total**2)
    best = gain**2 / (4 * bend) * (1 - 64 * UNIT) if bend > 0 and gain > 0 else 0.0
    return best, (gain - bend * unit) * unit


def svm_perf_bounds(weights, duals, X, relevant, *, k, loss="recall", regularization, sample_weight=None):
    """Returns the Bounds of SVMperf: the loss of the worst selection of k samples, or 0 if that is negative.

    With weights, k is the weight of the selection, and a dual is at most the weight of its sample times sum(duals) / k.
    The duals are projected onto this domain.
    """
    features, relevant, weights, duals = _arrays(weights, duals, X, relevant)
    s = _weights_of_samples(sample_weight, relevant)
    scores, off, squared = features.at(weights)
    penalty = max(regularization / 2 * squared, TINY * (squared > 0))
    worst = worst_selection(scores, relevant, k, loss, s)
    primal = (penalty + max(0.0, worst_selection(scores, relevant, k, loss, s, off))) * (1 + 32 * UNIT)

    inside = _selected(np.maximum(duals, 0), s, k)
    problem = relevant, k, loss, s, regularization
    (dual, plain), (_, given) = (_svm_perf_dual(features, a, *problem) for a in (inside, duals))
    return bounds(primal, dual, given, penalty + max(0.0, worst), max(dual, plain))


def _selected(duals, s, k):
    """Returns the closest duals, in units of s, with a sum k t and each at most s t, for t = sum(duals) / k or 1."""
    share = min(1.0, exact_sum(duals) / k)
    low, high = -share - np.max(duals / np.where(s > 0, s, np.inf)), share
    for _ in range(HALVINGS):
        middle = low + (high - low) / 2
        is_less = np.clip(duals + middle * s, 0, share * s).sum() < share * k
        low, high = (middle, high) if is_less else (low, middle)
    return np.clip(duals + high * s, 0, share * s)


def _svm_perf_dual(features, duals, relevant, k, loss, s, regularization):
    """Returns the dual objective: a lower bound of it at a point of the domain, or a fraction, and as given.

    A dual v_i is at most s_i sum(v) / k, and the sum at most k. The point is that of the duals, except where rounding
    has put them outside: what exceeds a bound moves to the sample with the shortest row that has room for it.
    """
    n_positive, (total, rest) = exact_sum(s[relevant]), _doubled_sum(duals)
    below = _below(duals, s, total, rest, k)  # s_i sum(v) / k - v_i
    slack = 64 * UNIT**2 * (np.abs(duals) + s * abs(total) / k)
    excess, over = np.maximum(slack - below, 0) * (1 + 16 * UNIT), max(0.0, (total - k) + rest) / k * (1 + 8 * UNIT)
    missed = np.where(relevant, below, -duals)
    off = np.where(relevant, 8 * UNIT * np.abs(below) + slack, 0.0) + excess
    moved = exact_sum(excess) * (1 + over)
    if moved > 0:
        lengths = features.lengths().reshape(-1, *[1] * (below.ndim - 1))
        rooms = np.where(below > 2 * moved, lengths, np.inf)
        if np.isfinite(rooms.min()):
            off[np.unravel_index(rooms.argmin(), rooms.shape)] += moved
        else:  # no sample has room for all of it
            off = off + np.minimum(moved, np.maximum(below, 0) + slack)
    off = off + over * (np.abs(duals) + np.where(relevant, s, 0.0))
    W, unsure = features.weights(missed, off)
    side, unit = (relevant, n_positive) if loss == "recall" else (~relevant, k)
    gain = exact_sum(missed[side]) / unit * (1 if loss == "recall" else -1)
    given = gain - exact_sum(W**2) / (2 * regularization * n_positive**2)
    gain -= exact_sum(off[side]) / unit + 8 * UNIT * abs(gain)
    bend = exact_sum((np.abs(W) + unsure) ** 2) / (2 * regularization * n_positive**2) * (1 + 32 * UNIT)
    scale = min(1.0, gain / (2 * bend)) if bend > 0 else 1.0
    return scale * gain - scale**2 * bend - 32 * UNIT * (abs(gain) + bend) if scale > 0 else 0.0, given


def _doubled_sum(terms):
    """Returns a sum as two numbers: the rounded one, and what is missing to the exact one, rounded."""
    total = exact_sum(terms)
    return total, exact_sum(np.append(np.ravel(terms), -total))


def _below(duals, s, total, rest, k):
    """Returns s (total + rest) / k - duals, up to 4 units of the result and some squares of units of the terms."""
    (allowed, more), (used, less) = _product(s, total), _product(duals, k)
    return ((allowed - used) + ((more - less) + s * rest)) / k


def _product(a, b):
    """Returns a product as two numbers, the rounded one and its error (Dekker and Veltkamp)."""
    halves = [(c := SPLIT * x) - (c - x) for x in (a, b)]
    product, (x, y) = a * b, halves
    return product, ((x * y - product) + x * (b - y) + (a - x) * y) + (a - x) * (b - y)


def _is_whole(total, k, n):
    """Returns whether a selection of weight k holds all n samples."""
    return k >= total * (1 - 2 * n * UNIT)


def worst_selection(scores, relevant, k, loss, weights=None, off=None):
    """Returns the maximum over all S of size k of  loss(S) + F(S) - F(positives), or with `off` an upper bound of it.

    S leaves out the lowest positives, of the weight q, and takes the highest negatives, of the weight g = q + k - n for
    n positives. It may hold a part of a sample. All sums are linear in q, except where no positive, or no negative, is
    selected in part. So the maximum is at one of these q. F(S) - F(positives) does not depend on the positives in S.

    With `off`, the scores are those that are worst within it. It has a share of each score for the rounding of sums;
    the rest of the rounding is that of q and g, which are exact for weights and k that are integers.
    """
    relevant, scores = np.ravel(relevant), np.ravel(scores)
    weights = np.ones(relevant.size) if weights is None else np.ravel(weights)
    if off is not None:
        off = np.ravel(off) + rounding(relevant.size + ELEMENTARY) * np.abs(scores)
        scores = scores + np.where(relevant, -off, off)
    lows = _cumulated(scores[relevant], weights[relevant], 1)
    highs = _cumulated(scores[~relevant], weights[~relevant], -1)
    n, most = lows[0][-1], highs[0][-1]
    beyond = k - n
    q = np.clip(np.append(lows[0], highs[0] - beyond), max(0.0, -beyond), max(0.0, min(n, most - beyond)))
    g = np.clip(np.append(lows[0] + beyond, highs[0]), max(0.0, beyond), min(k, most))
    if _is_whole(n + most, k, relevant.size):
        q, g = np.zeros(1), np.array([most])
    left, taken = np.interp(q, *lows), np.interp(g, *highs)
    losses = q / n if loss == "recall" else g / k
    values = losses + (taken - left) / n
    if off is not None:
        values += 4 * UNIT * (losses + np.abs(taken - left) / n)
        if not (np.all(weights == np.floor(weights)) and float(k).is_integer()):
            values += _unsure(q, g, beyond, lows, highs, k, loss, weights)
    return float(np.max(values))


def _unsure(q, g, beyond, lows, highs, k, loss, weights):
    """Returns by how much each value may be off, since q and g are rounded. Those at a breakpoint are sums."""
    n = lows[0][-1]
    summed = 0.0 if np.all(weights == np.floor(weights)) else rounding(weights.size + ELEMENTARY)
    shifted = 4 * UNIT * (abs(beyond) + q + g) + summed * (n + q + g)
    of_q = np.where(np.isin(q, lows[0]), summed * q, shifted)
    of_g = np.where(np.isin(g, highs[0]), summed * g, shifted)
    of_sums = of_q * _steepest(q, of_q, *lows) + of_g * _steepest(g, of_g, *highs)
    return of_sums / n + (of_q / n if loss == "recall" else of_g / k)


def _steepest(points, off, sizes, sums):
    """Returns the largest slope of a sum within `off` of each point, or anywhere if that is more than three samples."""
    with np.errstate(divide="ignore", invalid="ignore"):
        slopes = np.abs(np.nan_to_num(np.diff(sums) / np.diff(sizes), nan=0.0, posinf=0.0, neginf=0.0)) * (1 + 1e-6)
    first = np.clip(np.searchsorted(sizes, points - off, "left") - 1, 0, slopes.size - 1)
    last = np.clip(np.searchsorted(sizes, points + off, "right"), 1, slopes.size)
    near = np.max([slopes[np.minimum(first + i, last - 1)] for i in range(3)], axis=0)
    return np.where(last - first <= 3, near, slopes.max())


def _cumulated(scores, weights, direction):
    """Returns (the weight, the weighted sum) of the 0, 1, 2, ... lowest scores, or highest if `direction` is -1."""
    order = np.argsort(direction * scores, kind="stable")
    return tuple(np.append(0.0, np.cumsum(terms)) for terms in (weights[order], (weights * scores)[order]))


def _weights_of_samples(sample_weight, relevant):
    """Returns the weights of the rows, or ones, in the shape of the flags."""
    rows = np.ones(len(relevant)) if sample_weight is None else np.asarray(sample_weight, np.float64)
    return np.broadcast_to(rows.reshape(-1, *[1] * (relevant.ndim - 1)), relevant.shape)


def _arrays(weights, duals, X, relevant):
    """Returns the features and the arrays in float64."""
    return Linear(X), np.asarray(relevant).astype(bool), weights.astype(np.float64), duals.astype(np.float64)
