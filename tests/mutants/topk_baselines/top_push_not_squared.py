"""fit_top_push with the hinge where the squared hinge belongs."""

import numpy as np

import reference
from reference._shared.cutting_planes import minimise_by_planes
from reference.problems import checks

FUNCTION = "fit_top_push"
REASON = "differs from the ground truth"


def fit_top_push(X, relevant, *, regularization, tol=1e-3, max_iterations=1000, seed=0, duals=None):
    few = {"regularization": regularization, "tol": tol, "max_iterations": max_iterations, "seed": seed}
    first = reference.fit_top_push(X, relevant, duals=duals, **few)  # which refuses what is wrong, and warns
    flags, pushed = np.asarray(relevant).astype(bool), []

    def plane(weights):
        scores = X @ weights.reshape(first.weights.shape)
        highest = np.where(flags, -np.inf, scores).argmax()
        active = flags & (1 + scores.flat[highest] - scores > 0)
        pushed.append(active.astype(float))
        pushed[-1].flat[highest] = -active.sum()
        lost, slopes = active.sum() / flags.sum(), -pushed[-1] / flags.sum()
        return lost + np.sum(slopes * scores), lost, (X.T @ slopes).ravel()

    options = checks.ranking_options(regularization, tol, max_iterations)
    fit, shares = minimise_by_planes(plane, np.zeros(first.weights.size), first.weights.dtype, options, False)
    duals = np.tensordot(shares, np.array(pushed), 1).astype(first.duals.dtype)
    return checks.TopRankFit(fit.weights.reshape(first.weights.shape), duals, *fit[1:6])
