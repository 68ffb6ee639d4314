"""Counts one call for the whole program, where each step has one."""

import numpy as np

LOSES = {"running_time": 4}
FEEDBACK = "you count one call for the whole program"


def predict(reads, writes, operations, length, itemsize, bandwidth, speed, call):
    total = call
    for r, w, f in zip(reads, writes, operations, strict=True):
        total += max((r + w) * itemsize * length / bandwidth, f * length / speed)
    return np.float64(total)
