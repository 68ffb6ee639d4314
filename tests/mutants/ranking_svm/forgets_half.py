"""fit_ranking_svm with lambda |w|^2 where lambda/2 |w|^2 belongs."""

import reference

FUNCTION = "fit_ranking_svm"
REASON = "differs from the ground truth"


def fit_ranking_svm(X, relevant, *, regularization, **options):
    return reference.fit_ranking_svm(X, relevant, regularization=2 * regularization, **options)
