"""Counts what is read. What is written moves through the memory, too."""

import numpy as np

LOSES = {"running_time": 4}
FEEDBACK = "you forget what is written"


def predict(reads, writes, operations, length, itemsize, bandwidth, speed, call):
    moving, computing = reads * itemsize * length / bandwidth, operations * length / speed
    return float(np.maximum(moving, computing).sum() + call * len(reads))
