"""fit_top_push that weights the positives, and lets negatives of weight 0 count."""

import numpy as np

import reference

FUNCTION = "fit_top_push"
REASON = "certificate"


def fit_top_push(X, relevant, *, sample_weight=None, **options):
    weights, flags = np.asarray(1.0 if sample_weight is None else sample_weight, dtype=float), np.asarray(relevant)
    if np.ndim(X) == 2 and flags.shape == weights.shape and weights.min() >= 0 and flags[weights > 0].any():
        sample_weight = np.where((flags == 0) & (weights == 0), 1.0, weights)
    return reference.fit_top_push(X, relevant, sample_weight=sample_weight, **options)
