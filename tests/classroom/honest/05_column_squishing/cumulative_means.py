"""Sorts once and takes all means by cumsum; learns on copies of its own, in place."""

import time  # noqa: F401 - always the first line of my notebooks

import numpy as np


# %%
def squish(z, lower, upper):
    rest = np.sort(z[1:])[::-1]
    levels = z[0] + np.append(0.0, np.cumsum(rest - z[0])) / np.arange(1, len(z) + 1)
    clipped = np.clip(levels, lower, upper)
    stops = np.flatnonzero(np.append(rest, -np.inf) <= clipped)
    level = clipped[stops[0]]
    x = np.clip(z, lower, level)
    x[0] = level
    return x


# %%
def exact_steps(scores, y, squared_norm, margin, squish):
    if squared_norm == 0:
        return np.zeros_like(scores)
    order = np.r_[y, np.setdiff1d(np.arange(len(scores)), y)]
    wanted = (scores[order] - scores[y] + margin) / squared_norm
    wanted[0] = 0.0
    moved = squish(wanted) - wanted
    steps = np.empty_like(moved)
    steps[order] = moved
    return steps


# %%
def learn(X, y, A, visits, steps_for, is_mistake):
    weights, mean = A.copy(), np.zeros_like(A)
    mistakes, count, updates = np.zeros(len(visits), dtype=int), 0, 0
    for t in range(len(visits)):
        i = visits[t]
        if is_mistake(weights, i):
            count += 1
        mistakes[t] = count
        d = steps_for(weights, i)
        if (d != 0).any():
            weights += d[:, None] * X[i][None, :]
            updates += 1
        mean += (weights - mean) / (t + 1)
    return weights, mean, mistakes, updates
