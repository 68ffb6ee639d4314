"""Takes a projection for a repair: negative numbers become 0, and the rest is divided by its sum."""

import numpy as np

LOSES = {"project_simplex": 3}
FEEDBACK = "clip at 0 and divide by the sum"


def simplex(a, radius):
    positive = np.maximum(a, 0.0)
    return radius * positive / positive.sum() if positive.any() else np.full(len(a), radius / len(a))
