"""fit_top_push with 1 / n where 1 / P belongs: the mean of the squared hinges is over all samples."""

import numpy as np

import reference


def fit_top_push(X, relevant, *, regularization, **options):
    share = np.count_nonzero(relevant) / np.size(relevant)
    fit = reference.fit_top_push(X, relevant, regularization=regularization / (share or 1), **options)
    history = fit.history.copy()
    history.primal *= share
    history.dual *= share
    return fit._replace(primal=share * fit.primal, dual=share * fit.dual, history=history)
