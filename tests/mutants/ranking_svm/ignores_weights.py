"""fit_ranking_svm that gives all groups the same weight."""

import reference

FUNCTION = "fit_ranking_svm"
REASON = "differs from the ground truth"


def fit_ranking_svm(X, relevant, *, group_weight=None, **options):
    return reference.fit_ranking_svm(X, relevant, **options)
