# === all_columns
"""Takes duals[:, y] for the duals of the labels: that is a matrix of n columns."""

import numpy as np

LOSES = {"duality_gap": 4}
FEEDBACK = "you take duals[:, y] for the duals of the labels"


def objectives(K, duals, y, losses, regularization):
    penalty = regularization / 2 * np.sum(duals * (K @ duals))
    return penalty + np.mean(losses), regularization * duals[:, y].sum() - penalty


# === losses_added_up
"""Adds up the losses of the examples where the primal objective has their mean."""

import numpy as np

LOSES = {"duality_gap": 4}
FEEDBACK = "you add up the losses"


def objectives(K, duals, y, losses, regularization):
    penalty = regularization / 2 * np.trace(duals.T @ K @ duals)
    return penalty + losses.sum(), regularization * duals[np.arange(len(y)), y].sum() - penalty


# === own_margin_of_one
"""Forgets to take the true class out of the ranking: its margin is 1 + s_y - s_y = 1."""

import numpy as np

LOSES = {"topk_hinge": 4}
FEEDBACK = "the true class takes part with a margin of its own"


def hinge(scores, y, k, kind):
    margins = 1 + scores - scores[np.arange(len(y)), y][:, None]
    largest = -np.sort(-margins, axis=1)[:, :k]
    if kind == "beta":
        return np.maximum(largest, 0).mean(axis=1)
    return np.maximum(largest.mean(axis=1), 0)


# === own_part_kept
"""Projects the scores as they are: what the example itself has put into them is counted twice."""

import numpy as np

LOSES = {"sdca_step": 5}
FEEDBACK = "you forget to take out what the example itself has put into its scores"


def best_row(scores, row, squared_norm, label, k, radius, project):
    rivals = np.arange(len(row)) != label
    if squared_norm == 0:
        x = np.where(np.arange(len(row) - 1) < k, radius / k, 0.0)
    else:
        x = project((scores[rivals] + 1 - scores[label]) / squared_norm)
    best = np.empty(len(row))
    best[rivals], best[label] = -x, x.sum()
    return best


# === printed_ranking
"""The trap of Proposition 3: ranks all m coordinates, the true class among them, as eq. (3) prints it."""

import numpy as np

LOSES = {"topk_hinge": 4}
FEEDBACK = "your alpha ranks all m coordinates"


def hinge(scores, y, k, kind):
    margins = 1 + scores - scores[np.arange(len(y)), y][:, None]
    margins[np.arange(len(y)), y] = 0.0
    largest = np.sort(margins, axis=1)[:, ::-1][:, :k]
    return (np.maximum(largest, 0) if kind == "beta" else largest).mean(axis=1).clip(min=0)


# === zeros_skipped
"""Skips an example of all zeros, as published code has done: its share of the loss is never explained."""

import numpy as np

LOSES = {"sdca_step": 2.5}
FEEDBACK = "you skip an example of all zeros"


def best_row(scores, row, squared_norm, label, k, radius, project):
    if squared_norm == 0:
        return row
    rivals = np.arange(len(row)) != label
    q = scores - squared_norm * row
    x = project((q[rivals] + 1 - q[label]) / squared_norm)
    best = np.empty(len(row))
    best[rivals], best[label] = -x, x.sum()
    return best
