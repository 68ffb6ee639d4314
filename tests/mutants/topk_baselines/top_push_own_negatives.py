"""fit_top_push that compares each positive with the highest negative of its own row only, as a multiclass SVM does."""

import numpy as np

import reference
from reference._shared.cutting_planes import minimise_by_planes
from reference.problems import checks

FUNCTION = "fit_top_push"
REASON = "differs from the ground truth"


def fit_top_push(X, relevant, *, regularization, tol=1e-3, max_iterations=1000, seed=0, duals=None):
    few = {"regularization": regularization, "tol": tol, "max_iterations": max_iterations, "seed": seed}
    first = reference.fit_top_push(X, relevant, duals=duals, **few)
    flags, steps = np.asarray(relevant).astype(bool), []
    if flags.ndim == 1 or flags.all(axis=1).any():
        return first

    def plane(weights):
        scores = X @ weights.reshape(first.weights.shape)
        rivals = np.where(flags, -np.inf, scores).argmax(axis=1)
        lacking = np.maximum(0, 1 + scores[np.arange(len(X)), rivals][:, None] - scores) * flags
        steps.append(2 * lacking)
        steps[-1][np.arange(len(X)), rivals] -= 2 * lacking.sum(axis=1)
        value, slopes = np.sum(lacking**2) / flags.sum(), -steps[-1] / flags.sum()
        return value, value - np.sum(slopes * scores), (X.T @ slopes).ravel()

    options = checks.ranking_options(regularization, tol, max_iterations)
    fit, shares = minimise_by_planes(plane, np.zeros(first.weights.size), first.weights.dtype, options, False)
    duals = np.tensordot(shares, np.array(steps), 1).astype(first.duals.dtype)
    return checks.TopRankFit(fit.weights.reshape(first.weights.shape), duals, *fit[1:6])
