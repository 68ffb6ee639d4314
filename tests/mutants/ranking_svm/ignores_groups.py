"""fit_ranking_svm that ranks all samples in one group."""

import warnings

import numpy as np

import reference

FUNCTION = "fit_ranking_svm"
REASON = "differs from the ground truth"


def fit_ranking_svm(X, relevant, *, groups=None, **options):
    if groups is not None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            reference.grouped_inference(np.zeros(len(relevant)), relevant, groups)  # which refuses what is wrong
        flags, groups = np.asarray(relevant).astype(bool), np.asarray(groups)
        if any(len(set(flags[groups == number])) < 2 for number in groups):
            warnings.warn("some groups are left out", stacklevel=2)
    return reference.fit_ranking_svm(X, relevant, **options)
