"""Takes the radius for 1: the sum is 1 and the limit is 1 / k."""

import reference

LOSES = {"project_topk_simplex": 5}
FEEDBACK = "your sum is 1 and your cap is 1 / k"
SAYS = ["your sum is 1 and your cap is 1 / k, whatever the radius is."]


def topk_simplex(a, k, radius, bias, cone):
    x = cone(a, k, bias)
    if x.sum() > radius:
        x = reference.project_knapsack(a, 1.0, 0.0, 1.0 / k)
    return x
