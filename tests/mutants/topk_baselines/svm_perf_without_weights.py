"""fit_svm_perf that counts all samples of weight above 0 alike, with k in proportion."""

import numpy as np

import reference

FUNCTION = "fit_svm_perf"
REASON = "differs from the ground truth"


def fit_svm_perf(X, relevant, *, k, sample_weight=None, **options):
    fit = reference.fit_svm_perf(X, relevant, k=k, sample_weight=sample_weight, **options)  # refuses what is wrong
    if sample_weight is None:
        return fit
    weights, flags = np.asarray(sample_weight, float), np.asarray(relevant) != 0
    alike = (weights > 0).astype(float)
    shares, counts = ((rows if flags.ndim == 1 else rows[:, None]) * np.ones(flags.shape) for rows in (weights, alike))
    options["duals"] = None
    size = min(k * counts[flags].sum() / shares[flags].sum(), counts.sum())
    return reference.fit_svm_perf(X, relevant, k=size, sample_weight=alike, **options)
