"""Reads all blocks and sorts: right, and fifty blocks where three matter."""

import numpy as np

LOSES = {"threshold_of_blocks": 2.5}
FEEDBACK = "blocks were read, where"


def find_threshold(maxima, read, radius):
    numbers = np.concatenate([read(i) for i in range(len(maxima))])
    return threshold_of(numbers, radius)
