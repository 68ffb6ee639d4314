"""Projects the sorted numbers, and forgets where they came from."""

import numpy as np

LOSES = {"project_simplex": 3}
FEEDBACK = "the order is lost"


def simplex(a, radius):
    descending = np.sort(a)[::-1]
    t = (np.cumsum(descending) - radius) / np.arange(1, len(a) + 1)
    positive = max(np.count_nonzero(descending > t), 1)
    return np.maximum(descending - t[positive - 1], 0)
