"""Takes duals[:, y] for the duals of the labels: that is a matrix of n columns."""

import numpy as np

LOSES = {"duality_gap": 4}
FEEDBACK = "you take duals[:, y] for the duals of the labels"


def objectives(K, duals, y, losses, regularization):
    penalty = regularization / 2 * np.sum(duals * (K @ duals))
    return penalty + np.mean(losses), regularization * duals[:, y].sum() - penalty
