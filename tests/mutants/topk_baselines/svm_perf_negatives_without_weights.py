"""fit_svm_perf that weights the positives only: each negative counts once."""

import numpy as np

import reference
from reference import topk_baselines

FUNCTION = "fit_svm_perf"
REASON = "differs from the ground truth"


def fit_svm_perf(X, relevant, *, sample_weight=None, **options):
    fit = reference.fit_svm_perf(X, relevant, sample_weight=sample_weight, **options)  # refuses what is wrong
    flags = np.asarray(relevant) != 0
    if sample_weight is None or flags.ndim == 2:
        return fit
    weights = np.asarray(sample_weight, float)
    alike = np.where(flags | (weights == 0), weights, weights[flags].max())
    options |= {"duals": None, "k": min(options["k"], alike.sum())}
    return topk_baselines.fit_svm_perf(X, relevant, sample_weight=alike, **options)
