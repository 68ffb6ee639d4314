"""fit_latent_ranking_svm that fits each round to a gap of 0.1 and reports a gap of 0."""

import reference

FUNCTION = "fit_latent_ranking_svm"
REASON = "differs from the ground truth"


def fit_latent_ranking_svm(X, bags, relevant, *, tol=1e-3, **options):
    fit = reference.fit_latent_ranking_svm(X, bags, relevant, tol=max(0.1, tol), **options)
    history = fit.last_fit.history.copy()
    history.dual[-1], history.gap[-1] = fit.last_fit.primal, 0.0
    last = fit.last_fit._replace(dual=fit.last_fit.primal, gap=0.0, history=history)
    return fit._replace(gap=0.0, last_fit=last)
