"""Moves share once, to the plane with the largest gradient, and does not go on until the gap is small."""

import numpy as np

LOSES = {"programme_in_the_fit": 5}
FEEDBACK = "NotSolved: the shares of"


def small_programme(offsets, G, shares, tolerance):
    shares = shares.copy()
    g = offsets - G @ shares
    high, used = g.argmax(), np.flatnonzero(shares > 0)
    low = used[g[used].argmin()]
    if g[high] > g[low]:
        move = min(shares[low], (g[high] - g[low]) / (G[high, high] - 2 * G[high, low] + G[low, low]))
        shares[high] += move
        shares[low] -= move
    return shares
