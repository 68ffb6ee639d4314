"""Adds to the old total, although it is relative to a largest number that has changed."""

import numpy as np

LOSES = {"log_sum_exp": 5}
FEEDBACK = "you do not rescale the old total"


def absorb(largest, total, block):
    new = max(largest, block.max())
    return new, total + np.sum(np.exp(block - new))
