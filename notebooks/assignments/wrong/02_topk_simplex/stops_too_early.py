"""Bisects for the threshold, and stops after twenty halvings."""

import numpy as np

LOSES = {"project_simplex": 3}
FEEDBACK = "digits only: an iteration stops too early"


def simplex(a, radius):
    low, high = a.min() - radius, a.max()
    for _ in range(20):
        t = (low + high) / 2
        if np.maximum(a - t, 0).sum() > radius:
            low = t
        else:
            high = t
    return np.maximum(a - (low + high) / 2, 0)
