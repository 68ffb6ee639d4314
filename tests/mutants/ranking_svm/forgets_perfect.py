"""fit_ranking_svm of max_R [loss(R) + F(R)], without subtracting the score F(R*) of the perfect ranking."""

import numpy as np

from reference import ranking, ranking_svm
from reference._shared import cutting_planes
from reference.problems import checks

FUNCTION = "fit_ranking_svm"
REASON = "differs from the ground truth"


def fit_ranking_svm(X, relevant, *, groups=None, loss="ap", regularization, tol=1e-3, max_iterations=1000):
    X, relevant, rows, starts = checks.sorted_groups(X, relevant, groups)
    options = checks.ranking_options(regularization, tol, max_iterations)
    samples, known = list(ranking_svm._both_classes(relevant, rows, starts)), {**ranking.LOSSES, "zero_one": None}
    loss, shares = checks.qs_loss(loss, known), checks.group_shares(None, len(relevant), rows, starts)

    def hinge(scores):
        if loss is None:
            return ranking_svm._hinge_of_samples(scores, samples, shares)
        _, lost, gradient = ranking_svm._hinge_of_rankings(scores, samples, shares, loss)
        for p, n in samples:
            gradient[p] += 1 / len(p) / len(samples)
            gradient[n] -= 1 / len(n) / len(samples)
        return lost + gradient @ scores, lost, gradient

    def plane(weights):
        value, lost, gradient = hinge(X @ weights)
        return value, lost, X.T @ gradient

    return cutting_planes.minimise_by_planes(plane, np.zeros(X.shape[1]), X.dtype, options, False)[0]
