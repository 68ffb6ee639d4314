"""Adds the exponentials as they are, and takes the logarithm: an overflow where numbers are around 1000."""

import numpy as np

LOSES = {"log_sum_exp": 2.5}
FEEDBACK = "it is right in all random cases; special ones fail"
SAYS = []


def absorb(largest, total, block):
    new = max(largest, block.max())
    before = 0.0 if total == 0 else total * np.exp(largest)
    return new, (before + np.exp(block).sum()) / np.exp(new)
