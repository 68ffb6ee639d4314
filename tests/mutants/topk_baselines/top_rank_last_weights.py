"""fit_top_push and fit_svm_perf that return the weights of the last iterate with the primal of the best one.

Fits with sample_weight are left alone: some of them are so far from the optimum that their certificate fails first.
"""

import numpy as np

import reference

FUNCTIONS = ("fit_top_push", "fit_svm_perf")
REASON = {"fit_top_push": "reports something else", "fit_svm_perf": "certificate"}
LARGEST = 100  # with fewer samples fit_svm_perf is near enough to the optimum


def fit_top_push(X, relevant, *, regularization, **options):
    fit = reference.fit_top_push(X, relevant, regularization=regularization, **options)
    if options.get("sample_weight") is not None:
        return fit
    return _at_the_end(fit, X, fit.duals, regularization * np.count_nonzero(relevant))


def fit_svm_perf(X, relevant, *, k, regularization, **options):
    fit = reference.fit_svm_perf(X, relevant, k=k, regularization=regularization, **options)
    if options.get("sample_weight") is not None:
        return fit
    missed = np.where(relevant, fit.duals.sum() / k - fit.duals, -fit.duals)
    return _at_the_end(fit, X, missed, regularization * np.count_nonzero(relevant))


def _at_the_end(fit, X, duals, scale):
    weights = (X.T @ duals / scale).astype(fit.weights.dtype)
    return fit._replace(weights=weights)
