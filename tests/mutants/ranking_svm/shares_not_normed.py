"""fit_ranking_svm whose shares sum to 1.1, so that its planes do not bound the hinge from below."""

import reference

FUNCTION = "fit_ranking_svm"
REASON = "no lower bound"


def fit_ranking_svm(X, relevant, *, regularization, **options):
    fit = reference.fit_ranking_svm(X, relevant, regularization=regularization, **options)
    return fit._replace(shares=1.1 * fit.shares)
