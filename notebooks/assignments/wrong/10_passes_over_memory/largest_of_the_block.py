"""Takes the largest number of the block for the largest so far: right, until an exponential overflows."""

import numpy as np

LOSES = {"log_sum_exp": 2.5}
FEEDBACK = "you take the largest number of the block"


def absorb(largest, total, block):
    new = block.max()
    old = 0.0 if total == 0 else total * np.exp(largest - new)
    return new, old + np.exp(block - new).sum()
