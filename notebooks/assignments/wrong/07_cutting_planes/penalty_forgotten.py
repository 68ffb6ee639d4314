"""Subtracts |A' alpha|^2 / lambda: the value of the mixed plane at the minimum, without the penalty."""

LOSES = {"bound_of_planes": 4}
FEEDBACK = "you forget the penalty in the bound"


def lower_bound(offsets, slopes, shares, regularization):
    weights = -(shares @ slopes) / regularization
    return weights, shares @ (offsets + slopes @ weights)
