"""fit_ranking_svm that stops at a gap of 0.1 and reports the primal as the dual."""

import reference

FUNCTION = "fit_ranking_svm"
REASON = "differs from the ground truth"


def fit_ranking_svm(X, relevant, *, tol=1e-3, **options):
    fit = reference.fit_ranking_svm(X, relevant, tol=max(0.1, tol), **options)
    history = fit.history.copy()
    history.dual[-1], history.gap[-1] = fit.primal, 0.0
    return fit._replace(dual=fit.primal, gap=0.0, history=history)
