"""fit_svm_perf that selects k + 1 samples."""

import numpy as np

import reference

FUNCTION = "fit_svm_perf"
REASON = "differs from the ground truth"


def fit_svm_perf(X, relevant, *, k, duals=None, **options):
    fit = reference.fit_svm_perf(X, relevant, k=k, duals=duals, **options)
    weights = options.get("sample_weight")
    samples = np.size(relevant) if weights is None else np.sum(weights) * np.size(relevant) // len(weights)
    return reference.fit_svm_perf(X, relevant, k=k + 1, **options) if k + 1 <= samples else fit
