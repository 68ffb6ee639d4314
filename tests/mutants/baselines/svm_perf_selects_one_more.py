"""fit_svm_perf that selects k + 1 samples."""

import numpy as np

import reference

FUNCTION = "fit_svm_perf"
REASON = "differs from the ground truth"


def fit_svm_perf(X, relevant, *, k, duals=None, **options):
    fit = reference.fit_svm_perf(X, relevant, k=k, duals=duals, **options)
    return reference.fit_svm_perf(X, relevant, k=k + 1, **options) if k < np.size(relevant) else fit
