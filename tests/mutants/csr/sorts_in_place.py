"""fit_ranking_svm that sorts the indices of its argument in place."""

import reference

FUNCTION = "fit_ranking_svm"
REASON = "changed its input"


def fit_ranking_svm(X, relevant, **options):
    if hasattr(X, "tocsr"):
        X.sum_duplicates()
    return reference.fit_ranking_svm(X, relevant, **options)
