"""fit_ranking_svm with the sum over the groups where the mean belongs."""

import numpy as np

import reference

FUNCTION = "fit_ranking_svm"
REASON = "differs from the ground truth"


def fit_ranking_svm(X, relevant, *, groups=None, regularization, **options):
    flags, numbers = np.asarray(relevant).astype(bool), np.zeros(len(X)) if groups is None else np.asarray(groups)
    count = sum(0 < flags[numbers == number].sum() < (numbers == number).sum() for number in set(numbers.tolist()))
    share = regularization / max(count, 1)
    fit = reference.fit_ranking_svm(X, relevant, groups=groups, regularization=share, **options)
    history = fit.history.copy()
    history.primal *= count
    history.dual *= count
    return fit._replace(primal=count * fit.primal, dual=count * fit.dual, history=history)
