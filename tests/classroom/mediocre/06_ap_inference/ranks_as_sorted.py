"""Searches the ranks as if they came in ascending order."""

import numpy as np

LOSES = {"ap_loss": 3}
FEEDBACK = "as if they were sorted"
SAYS = ["you search the ranks as if they were sorted; they come in any order."]


def average_precision_loss(ranks, P):
    i = np.arange(1, P + 1)
    return 1 - np.mean(i / (i + np.searchsorted(ranks, i, side="right")))
