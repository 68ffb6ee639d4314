"""Squishes the column that it was given, in its place."""

import numpy as np

LOSES = {"squish_column": 5}
FEEDBACK = "changed an array that it was given"


def squish(z, lower, upper):
    level, squished = z[0], [0]
    for i in 1 + np.argsort(-z[1:], kind="stable"):
        if z[i] <= np.clip(level, lower, upper):
            break
        squished.append(i)
        level += (z[i] - level) / len(squished)
    z[:] = np.maximum(z, lower)
    z[squished] = np.clip(level, lower, upper)
    return z
