"""fit_ranking_svm that reports the gap of the iteration before the one that found the weights."""

import reference

FUNCTION = "fit_ranking_svm"
REASON = "reports something else"


def fit_ranking_svm(X, relevant, **options):
    fit = reference.fit_ranking_svm(X, relevant, **options)
    history = fit.history.copy()
    history.gap[1:] = fit.history.gap[:-1]
    return fit._replace(gap=float(history.gap[-1]), history=history)
