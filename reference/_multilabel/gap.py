"""Both objectives of a multilabel fit, computed from the duals."""

import numpy as np

from ..problems import checks
from . import rows


def certified_gap(model, duals, Y, options):
    """Returns (weights, primal, dual, relative gap)."""
    weights, squared_norm, scores = model.certify(duals)
    penalty, n = options.regularization / 2 * squared_norm, len(Y)
    losses, gains = np.zeros(n), np.zeros(n)
    for i in np.flatnonzero(checks.proper_rows(Y) & (options.sample_weight > 0)):
        loss, conjugate = (_hinge, _entropy)[options.loss == "entropy"](scores[i], duals[i], Y[i], options.of(i))
        losses[i], gains[i] = options.sample_weight[i] * loss, conjugate
    primal, dual = penalty + losses.mean(), options.regularization * gains.sum() - penalty
    return weights, float(primal), float(dual), checks.relative_gap(primal, dual)


def _hinge(scores, row, member, options):
    """Returns the loss, and |a|_1 / 2 - gamma/(2 r) |a|^2."""
    gain = np.abs(row).sum() / 2 - options.smoothing / (2 * options.radius) * (row @ row)
    return rows.hinge(scores, member, options.smoothing), gain


def _entropy(scores, row, member, options):
    """Returns the loss, and r H(p). The p of a positive is tau (1 - a / (r tau)), whose logarithm is that of both."""
    radius, tau = options.radius, 1 / member.sum()
    p = np.maximum(-row[~member] / radius, 0.0)
    shares = np.maximum(1 - row[member] / (radius * tau), 0.0)
    logs = np.log(tau) + np.log1p(np.maximum(-row[member] / (radius * tau), -1 + np.finfo(np.float64).eps))
    entropy = -(p[p > 0] @ np.log(p[p > 0])) - tau * (shares @ logs)
    return rows.entropy(scores, member), radius * entropy
