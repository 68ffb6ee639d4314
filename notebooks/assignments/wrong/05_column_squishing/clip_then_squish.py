"""Clips to the bounds first and squishes what is left: the mean of clipped numbers is another mean."""

import numpy as np

LOSES = {"squish_column": 5}
FEEDBACK = "you clip to the bounds first and squish then"


def squish(z, lower, upper):
    z = np.clip(z, lower, upper)
    level, squished = z[0], [0]
    for i in 1 + np.argsort(-z[1:], kind="stable"):
        if z[i] <= level:
            break
        squished.append(i)
        level += (z[i] - level) / len(squished)
    z[squished] = level
    return z
