"""Counts positives from 0: the first one has a precision of 0."""

import numpy as np

LOSES = {"ap_loss": 3}
FEEDBACK = "your first positive counts as number 0"


def average_precision_loss(ranks, P):
    precisions = []
    for i in range(P):
        before = np.count_nonzero(ranks <= i + 1)
        precisions.append(i / (i + before) if i + before else 0.0)
    return 1 - np.mean(precisions)
