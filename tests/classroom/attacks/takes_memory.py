"""Takes two gigabytes, and keeps them."""

import numpy as np

WORD = "emory"
kept = [np.ones(2**23) for _ in range(32)]


def simplex(a, radius):
    return a
