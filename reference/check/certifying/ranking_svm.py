"""Ranking SVMs: planes below the objective."""

import numpy as np

from ..certificates import ranking_svm as proofs
from ._base import Malformed, entries, needed, numbers, parts_of, suboptimality


def fit_ranking_svm(answer, X, relevant, groups, loss, regularization, tol, group_weight, **_):
    """`answer` is a fit, a dict, or a tuple (weights, points, shares)."""
    parts = parts_of(answer, "weights", "points", "shares")
    objective = proofs.RankingObjective(proofs.MeanHinge(X, relevant, groups, loss, group_weight), regularization)
    return [_convex(parts, objective, tol)]


def _convex(parts, objective, tol, note=""):
    needed(parts, "weights", "points", "shares")
    weights = numbers(parts["weights"], (objective.d,), "weights")
    points, shares = parts["points"], parts["shares"]
    n = entries(points)
    points, shares = numbers(points, (n, objective.d), "points"), numbers(shares, (n,), "shares")
    if not (objective.is_in_range(weights) and objective.is_in_range(points)):
        raise Malformed("the scores of its weights or points are out of the range of float64")
    claimed = objective.primal(weights.astype(np.float64))[0] * (1 - min(tol, 1.0))
    return suboptimality(objective.proof(weights, points, shares.astype(np.float64), claimed), tol, note)
