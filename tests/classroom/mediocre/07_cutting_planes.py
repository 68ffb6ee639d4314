# === equal_shares
"""Gives each plane the same share, whatever the shares are."""

import numpy as np

LOSES = {"bound_of_planes": 4}
FEEDBACK = "Kind of case: random."
SAYS = ["you give all planes the same share."]


def lower_bound(offsets, slopes, shares, regularization):
    slope = slopes.mean(axis=0)
    return -slope / regularization, np.mean(offsets) - slope @ slope / (2 * regularization)


# === talks
"""A right bound in a function that prints its progress."""

LOSES = {"bound_of_planes": 2}
FEEDBACK = "its answers are right in all random cases; but it prints"
SAYS = []


def lower_bound(offsets, slopes, shares, regularization):
    slope = shares @ slopes
    bound = offsets @ shares - slope @ slope / (2 * regularization)
    print(len(shares), "planes, bound", bound)
    return -slope / regularization, bound
