"""Gives each plane the same share, whatever the shares are."""

import numpy as np

LOSES = {"bound_of_planes": 4}
FEEDBACK = "Kind of case: random."
SAYS = ["you give all planes the same share."]


def lower_bound(offsets, slopes, shares, regularization):
    slope = slopes.mean(axis=0)
    return -slope / regularization, np.mean(offsets) - slope @ slope / (2 * regularization)
