"""Adds up the losses of the examples where the primal objective has their mean."""

import numpy as np

LOSES = {"duality_gap": 4}
FEEDBACK = "you add up the losses"


def objectives(K, duals, y, losses, regularization):
    penalty = regularization / 2 * np.trace(duals.T @ K @ duals)
    return penalty + losses.sum(), regularization * duals[np.arange(len(y)), y].sum() - penalty
