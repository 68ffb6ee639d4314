"""fit_top_push that counts all positives alike, and leaves out rows of weight 0."""

import numpy as np

import reference

FUNCTION = "fit_top_push"
REASON = "differs from the ground truth"


def fit_top_push(X, relevant, *, sample_weight=None, **options):
    if sample_weight is not None and np.shape(sample_weight) == np.shape(X)[:1] and np.min(sample_weight) >= 0:
        sample_weight = np.asarray(sample_weight) > 0
        sample_weight = sample_weight.astype(float)
    return reference.fit_top_push(X, relevant, sample_weight=sample_weight, **options)
