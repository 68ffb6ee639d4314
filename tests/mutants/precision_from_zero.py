"""ap_loss whose positives are counted from 0: the first of them has no precision."""

import numpy as np

from reference import ranking


def ap_loss(interleaving, n_positive):
    ranking.ap_loss(interleaving, n_positive)
    i = np.arange(n_positive)
    before = np.searchsorted(np.sort(interleaving), i + 1, side="right")
    return float(1 - np.mean(i / (i + 1 + before)))
