"""The same formulas by np.partition, np.delete, np.insert and einsum."""

import numpy as np


# %%
def hinge(scores, y, k, kind):
    own = np.take_along_axis(scores, y[:, None], axis=1)
    margins = scores - own + 1.0
    np.put_along_axis(margins, y[:, None], 0.0 if kind == "alpha_inclusive" else -np.inf, axis=1)
    if kind == "beta":
        margins = np.clip(margins, 0.0, None)
    top = -np.partition(-margins, k - 1, axis=1)[:, :k]
    return np.maximum(0.0, top.sum(axis=1) / k)


# %%
def best_row(scores, row, squared_norm, label, k, radius, project):
    if squared_norm > 0:
        without = scores - row * squared_norm
        x = project(np.delete(without - without[label] + 1, label) / squared_norm)
    else:
        x = np.repeat([radius / k, 0.0], [k, len(row) - 1 - k])
    return np.insert(-x, label, np.sum(x))


# %%
def objectives(K, duals, y, losses, regularization):
    squared = np.einsum("ij,ik,kj->", duals, K, duals)
    own = np.einsum("ij,ij->", duals, np.eye(duals.shape[1])[y])
    return np.average(losses) + regularization * squared / 2, regularization * (own - squared / 2)
