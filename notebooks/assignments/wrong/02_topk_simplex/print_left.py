"""Right, but a line that printed the threshold was left in."""

import numpy as np

LOSES = {"project_simplex": 1.5}
FEEDBACK = "but it prints"


def simplex(a, radius):
    descending = np.sort(a)[::-1]
    t = (np.cumsum(descending) - radius) / np.arange(1, len(a) + 1)
    rho = np.nonzero(descending > t)[0]
    threshold = t[rho[-1] if len(rho) else 0]
    print("t =", threshold)
    return np.maximum(a - threshold, 0)
