"""Computes in float32, to save memory, and converts the answer back."""

import numpy as np

LOSES = {"project_simplex": 3}
FEEDBACK = "digits only"
SAYS = [
    "your answer is right to about 7 digits only: an iteration stops too early, a tolerance is too large, or something "
    "is computed in a lower precision."
]


def simplex(a, radius):
    a = a.astype(np.float32)
    descending = np.sort(a)[::-1]
    t = (np.cumsum(descending) - np.float32(radius)) / np.arange(1, len(a) + 1, dtype=np.float32)
    positive = np.count_nonzero(descending > t)
    return np.maximum(a - t[max(positive, 1) - 1], 0).astype(np.float64)
