"""fit_top_push with 1 / n where 1 / P belongs: the mean of the squared hinges over all samples."""

import numpy as np

import reference

FUNCTION = "fit_top_push"
REASON = "differs from the ground truth"


def fit_top_push(X, relevant, *, regularization, **options):
    share = np.count_nonzero(relevant) / np.size(relevant)
    fit = reference.fit_top_push(X, relevant, regularization=regularization / (share or 1), **options)
    history = fit.history.copy()
    history.primal *= share
    history.dual *= share
    return fit._replace(primal=share * fit.primal, dual=share * fit.dual, history=history)
