"""Takes the top-k simplex for the capped simplex: the limit radius / k, even where the sum is smaller."""

import numpy as np

import reference

LOSES = {"project_topk_simplex": 5}
FEEDBACK = "that is the set of beta"


def topk_simplex(a, k, radius, bias, cone):
    low, high = 0.0, float(np.abs(a).max()) + 1e-300  # t = bias * sum x where the sum is below the radius
    for _ in range(200):
        t = (low + high) / 2
        low, high = (t, high) if t < bias * np.clip(a - t, 0.0, radius / k).sum() else (low, t)
    x = np.clip(a - t, 0.0, radius / k)
    return x if x.sum() <= radius else reference.project_knapsack(a, total=radius, lower=0.0, upper=radius / k)
