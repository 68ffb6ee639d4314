"""SVMperf by cutting planes: the selection of k samples with the largest loss plus score gives the plane."""

import numpy as np

from reference.problems import checks

from .._shared.planes import minimise_by_planes


def select_by_planes(X, problem, duals, options):
    """Returns the TopRankFit, with duals in float64."""
    relevant, selections = problem.relevant, []
    shape, shares = (X.shape[1], *relevant.shape[1:]), problem.shares.ravel()
    margins = np.where(relevant, 1.0 if problem.loss == "recall" else problem.total / problem.k, 0.0).ravel()

    def plane(weights):
        scores = np.asarray(X @ weights.reshape(shape), np.float64)
        selected = _lowest(margins - scores.ravel(), shares, problem.k)
        offset, gradient = _plane_of(_in_full(selected, relevant), problem)
        value = offset + np.vdot(gradient, scores)
        if value <= 0:  # the hinge is 0, and so is its plane
            selected, value, offset, gradient = ([], []), 0.0, 0.0, np.zeros(relevant.shape)
        selections.append(selected)
        return value, offset, (X.T @ gradient).ravel()

    weights = -(X.T @ _plane_of(duals, problem)[1]).ravel() / options.regularization
    fit, alpha = minimise_by_planes(plane, weights, X.dtype, options, options.progress, X)
    duals = np.zeros(relevant.size)
    for share, (samples, amounts) in zip(alpha, selections, strict=True):
        if len(samples):
            duals[samples] += share * amounts
    return checks.TopRankFit(fit.weights.reshape(shape), duals.reshape(relevant.shape), *fit[1:6])


def _lowest(values, shares, k):
    """Returns (samples, what is selected of each): those of the lowest values, of share k, the last one in part."""
    if (shares == 1).all() and k == int(k):
        samples = np.argpartition(values, int(k) - 1)[: int(k)]
        return samples, np.ones(len(samples))
    if k == shares.sum():
        return np.arange(len(values)), shares
    samples = np.argsort(values)
    before = np.append(0.0, np.cumsum(shares[samples])[:-1])
    count = np.searchsorted(before, k)  # those with a part of k left
    samples = samples[:count]
    return samples, np.minimum(k - before[:count], shares[samples])


def _in_full(selected, relevant):
    """Returns what is selected of all samples, in the shape of the flags."""
    full, (samples, amounts) = np.zeros(relevant.size), selected
    full[samples] = amounts
    return full.reshape(relevant.shape)


def _plane_of(selected, problem):
    """Returns (loss, gradient in the scores) of a selection, or of a convex combination of selections and of none."""
    relevant, total = problem.relevant, selected.sum() / problem.k
    gradient = np.where(relevant, selected - total * problem.shares, selected) / problem.total
    if problem.loss == "recall":
        return float(-gradient[relevant].sum()), gradient
    return float(selected[~relevant].sum() / problem.k), gradient
