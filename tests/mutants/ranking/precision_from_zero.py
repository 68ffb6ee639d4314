"""ap_loss that counts the positives from 0, so that the first one has precision 0."""

import numpy as np

from reference import ranking

FUNCTION = "ap_loss"
REASON = "differs from the ground truth"


def ap_loss(interleaving, n_positive):
    ranking.ap_loss(interleaving, n_positive)
    i = np.arange(n_positive)
    before = np.searchsorted(np.sort(interleaving), i + 1, side="right")
    return float(1 - np.mean(i / (i + 1 + before)))
