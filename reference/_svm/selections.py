"""SVMperf by cutting planes: the selection of k samples with the largest loss plus score gives the plane."""

import numpy as np

from .._shared.cutting_planes import minimise_by_planes
from ..problems import checks


def select_by_planes(X, problem, duals, options):
    """Returns the fit of SVMperf, with duals in float64."""
    shape, selections = (X.shape[1], *problem.relevant.shape[1:]), []

    def plane(weights):
        scores = X @ weights.reshape(shape)
        selected = worst_selection(scores, problem)
        offset, gradient = plane_of(selected, problem)
        if offset + np.sum(gradient * scores) <= 0:  # the hinge is 0, and so is its plane
            selected, offset, gradient = np.zeros(duals.shape), 0.0, np.zeros(duals.shape)
        selections.append(selected)
        return offset + np.sum(gradient * scores), offset, (X.T @ gradient).ravel()

    weights = -(X.T @ plane_of(duals, problem)[1]).ravel() / options.regularization
    fit, shares = minimise_by_planes(plane, weights, X.dtype, options, options.progress, X)
    duals = np.tensordot(shares, np.array(selections), 1)
    return checks.TopRankFit(fit.weights.reshape(shape), duals, *fit[1:6])


def worst_selection(scores, problem):
    """Returns what is selected of each sample, 0 <= x_i <= s_i with sum k, to maximise loss plus score.

    Selecting all of a positive reduces the loss by s_i / P or s_i / k. Scores are divided by P. So the samples with the
    highest sum are selected, the last one in part if k requires it. Ties go to the lowest index.
    """
    if problem.k == problem.shares.sum():
        return problem.shares
    margin = 1.0 if problem.loss == "recall" else problem.total / problem.k
    augmented = np.where(problem.relevant, scores - margin, scores).ravel()
    order = np.argsort(-augmented, kind="stable")
    shares, selected = problem.shares.ravel()[order], np.zeros(scores.size)
    before = np.append(0.0, np.cumsum(shares)[:-1])
    selected[order] = np.clip(problem.k - before, 0.0, shares)
    return selected.reshape(scores.shape)


def plane_of(selected, problem):
    """Returns (loss, gradient in the scores) of a selection, or of a convex combination of selections and of none."""
    relevant, total = problem.relevant, selected.sum() / problem.k
    gradient = np.where(relevant, selected - total * problem.shares, selected) / problem.total
    if problem.loss == "recall":
        return float(-gradient[relevant].sum()), gradient
    return float(selected[~relevant].sum() / problem.k), gradient
