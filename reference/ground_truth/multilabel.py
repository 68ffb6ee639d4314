"""Multilabel losses from their definitions, and the primal problem of `fit_multilabel` for CVXPY, without duality.

Slow and obviously right. Signatures and results are those of `reference.multilabel`, which explains the arguments.
"""

import math

import numpy as np

from ..problems import checks
from ..problems import multilabel as problems
from ._solver import cp, solve
from .enumeration import project_bipartite_simplex


def multilabel_error(scores, Y):
    """Returns 1 if a pair of a positive and a negative is in the wrong order, or equal, else 0."""
    scores, Y = problems.multilabel_error(scores, Y)
    errors = [any(n >= p for p, n in _pairs(row, member)) for row, member in zip(scores, Y, strict=True)]
    return np.array(errors, scores.dtype)


def multilabel_hinge(scores, Y, smoothing=0.0):
    """Returns the largest 1 + s_n - s_p of a pair, or 0. With smoothing, u and v are exact."""
    scores, Y, smoothing = problems.multilabel_hinge(scores, Y, smoothing)
    losses = []
    for row, member in zip(scores.astype(np.float64), Y, strict=True):
        if smoothing == 0:
            losses.append(max([0.0, *(1 + (n - p) for p, n in _pairs(row, member))]))
            continue
        g = _weights(row, member, smoothing)
        losses.append(math.fsum([*np.abs(g) / 2, *(g * (row - row.max())), *(-smoothing / 2 * g**2)]))
    return np.array(losses, scores.dtype)


def multilabel_hinge_gradient(scores, Y, smoothing=0.0):
    """Returns (-u, v). Without smoothing, the first of the pairs with the largest 1 + s_n - s_p has u = v = 1."""
    scores, Y, smoothing = problems.multilabel_hinge(scores, Y, smoothing)
    gradient = np.zeros(scores.shape)
    for i, (row, member) in enumerate(zip(scores.astype(np.float64), Y, strict=True)):
        if smoothing > 0:
            gradient[i] = _weights(row, member, smoothing)
            continue
        pairs = [(p, n) for p in np.flatnonzero(member) for n in np.flatnonzero(~member)]
        p, n = max(pairs, key=lambda pair: row[pair[1]] - row[pair[0]], default=(0, 0))  # `max` takes the first
        if pairs and 1 + (row[n] - row[p]) > 0:
            gradient[i, p], gradient[i, n] = -1.0, 1.0
    return gradient.astype(scores.dtype)


def multilabel_entropy(scores, Y):
    """Returns log sum_j exp(s_j - mean s_Y), with sums that are rounded once."""
    scores, Y = problems.multilabel_error(scores, Y)
    losses = []
    for row, member in zip(scores.astype(np.float64), Y, strict=True):
        if not member.any() or member.all():
            losses.append(0.0)
            continue
        best = int(row.argmax())
        mean = math.fsum(row[best] - s for s in row[member]) / member.sum()
        losses.append(mean + math.log1p(math.fsum(math.exp(s - row[best]) for s in np.delete(row, best))))
    return np.array(losses, scores.dtype)


def multilabel_entropy_gradient(scores, Y):
    """Returns softmax(s), less one divided by the number of positives on each positive."""
    scores, Y = problems.multilabel_error(scores, Y)
    gradient = np.zeros(scores.shape)
    for i, (row, member) in enumerate(zip(scores.astype(np.float64), Y, strict=True)):
        if not member.any() or member.all():
            continue
        powers = [math.exp(s - row.max()) for s in row]
        gradient[i] = np.array(powers) / math.fsum(powers)
        gradient[i, member] -= 1 / member.sum()
        if member.sum() == 1:
            gradient[i, member] = -math.fsum(gradient[i, ~member])
    return gradient.astype(scores.dtype)


def fit_multilabel(X, Y, *, loss="hinge", smoothing=0.0, regularization, sample_weight=None):
    """``argmin_W regularization/2 |W|^2 + mean loss``. Returns (W, the minimum)."""
    problem = problems.fit_multilabel(
        X, Y, loss=loss, smoothing=smoothing, regularization=regularization, sample_weight=sample_weight
    )
    X, Y, n, options = problem.X, problem.Y, len(problem.Y), problem.options
    X = (X.toarray() if hasattr(X, "tocsr") else X).astype(np.float64)
    # The solver's tolerances are absolute, so it is given features of size 1. This only changes the units of W.
    unit = np.abs(X).max() or 1.0
    W = cp.Variable((X.shape[1], Y.shape[1]))
    used = np.flatnonzero(checks.proper_rows(Y) & (options.sample_weight > 0))
    scores, member = (X[used] / unit) @ W, Y[used]
    losses = _entropies(scores, member) if loss == "entropy" else _hinges(scores, member, smoothing)
    squared = cp.sum_squares(W) / unit**2
    total = options.sample_weight[used] @ losses if len(used) else 0.0
    minimum = solve(cp.Problem(cp.Minimize(options.regularization / 2 * squared + total / n)))
    return W.value / unit, float(minimum)


def _pairs(row, member):
    """Returns (the score of a positive, that of a negative), for all pairs."""
    return [(p, n) for p in row[member] for n in row[~member]]


def _weights(row, member, smoothing):
    """Returns the maximisers: -u for the positives, v for the negatives."""
    weights = np.zeros(len(row))
    if member.any() and not member.all():
        row = row - row.max()  # as sum u = sum v, this changes nothing
        u, v = project_bipartite_simplex(0.5 - row[member], 0.5 + row[~member], smoothing)
        weights[member], weights[~member] = -u / smoothing, v / smoothing
    return weights


def _hinges(scores, member, smoothing):
    """The smooth hinge is the hinge of two vectors plus a squared distance, as a minimum: its conjugate's conjugate.

    max over B(1) of <b, u> + <c, v> - gamma/2 (|u|^2 + |v|^2) is, with a multiplier for sum u = sum v,
        min over t and b', c' of  max(0, max (b - b' - t) + max (c - c' + t)) + (|b'|^2 + |c'|^2) / (2 gamma).
    """
    # b and c in one matrix: 1/2 - s for a positive, 1/2 + s for a negative
    margins, squares = 0.5 + cp.multiply(np.where(member, -1.0, 1.0), scores), 0.0
    if smoothing > 0:
        less = cp.Variable(member.shape)
        margins, squares = margins - less, cp.sum(cp.square(less), axis=1) / (2 * smoothing)
    return cp.pos(_largest(margins, member) + _largest(margins, ~member)) + squares


def _largest(values, chosen):
    """Returns the largest of the chosen values in each row."""
    return cp.hstack([cp.max(values[i, np.flatnonzero(row)]) for i, row in enumerate(chosen)])


def _entropies(scores, member):
    shares = member / member.sum(axis=1, keepdims=True)
    return cp.log_sum_exp(scores, axis=1) - cp.sum(cp.multiply(shares, scores), axis=1)
