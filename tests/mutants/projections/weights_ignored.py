"""project_knapsack that takes all weights to be 1."""

import numpy as np

import reference

FUNCTION = "project_knapsack"
REASON = "differs from the ground truth"


def project_knapsack(a, total, lower=0.0, upper=1.0, weights=None):
    if weights is None or np.shape(weights) != a.shape[-1:] or not np.all(np.asarray(weights) > 0):
        return reference.project_knapsack(a, total, lower, upper, weights)
    d = a.shape[-1]
    total = np.clip(total, np.sum(np.broadcast_to(lower, d)), np.sum(np.broadcast_to(upper, d)))
    return reference.project_knapsack(a, total, lower, upper)
