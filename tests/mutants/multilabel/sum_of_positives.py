"""multilabel_entropy that subtracts the sum of the scores of the positives, not their mean."""

import numpy as np

import reference

FUNCTION = "multilabel_entropy"
REASON = "differs from the ground truth"


def multilabel_entropy(scores, Y):
    losses = reference.multilabel_entropy(scores, Y)
    Y = np.asarray(Y) != 0
    proper, totals = Y.any(axis=1) & ~Y.all(axis=1), np.where(Y, scores, 0).sum(axis=1)
    return np.where(proper, losses + totals / np.maximum(Y.sum(axis=1), 1) - totals, losses).astype(losses.dtype)
