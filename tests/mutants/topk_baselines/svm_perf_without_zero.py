"""fit_svm_perf without max(0, .) around the maximum over the selections, which can be negative if k is not P."""

import numpy as np

import reference
from reference._shared.cutting_planes import minimise_by_planes
from reference._svm import selections as _selections
from reference.problems import checks
from reference.problems.topk_baselines import selection_problem

FUNCTION = "fit_svm_perf"
REASON = "differs from the ground truth"


def fit_svm_perf(X, relevant, *, k, loss="recall", regularization, tol=1e-3, max_iterations=1000, seed=0, **others):
    few = {"k": k, "loss": loss, "regularization": regularization, "tol": tol, "max_iterations": max_iterations}
    first = reference.fit_svm_perf(X, relevant, seed=seed, **few, **others)  # which refuses what is wrong, and warns
    flags, selections = np.asarray(relevant).astype(bool), []
    rows = np.ones(len(flags)) if others.get("sample_weight") is None else np.asarray(others["sample_weight"], float)
    problem = selection_problem(flags, rows, k, loss)

    def plane(weights):
        scores = X @ weights.reshape(first.weights.shape)
        selections.append(_selections.worst_selection(scores, problem))
        offset, gradient = _selections.plane_of(selections[-1], problem)
        return offset + np.sum(gradient * scores), offset, (X.T @ gradient).ravel()

    options = checks.ranking_options(regularization, tol, max_iterations)
    fit, shares = minimise_by_planes(plane, np.zeros(first.weights.size), first.weights.dtype, options, False)
    duals = np.tensordot(shares, np.array(selections), 1).astype(first.duals.dtype)
    return checks.TopRankFit(fit.weights.reshape(first.weights.shape), duals, *fit[1:6])
