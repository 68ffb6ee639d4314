"""fit_ranking_svm that puts the indices of its argument into order."""

import reference


def fit_ranking_svm(X, relevant, **options):
    if hasattr(X, "tocsr"):
        X.sum_duplicates()
    return reference.fit_ranking_svm(X, relevant, **options)
