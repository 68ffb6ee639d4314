"""Off by one: takes the threshold of one coordinate more than are positive."""

import numpy as np

LOSES = {"project_simplex": 3}
FEEDBACK = "the threshold of one coordinate more than are positive"


def simplex(a, radius):
    descending = np.sort(a)[::-1]
    t = (np.cumsum(descending) - radius) / np.arange(1, len(a) + 1)
    return np.maximum(a - t[np.count_nonzero(descending > t)], 0)
