"""A while loop for the draw, math.fsum for the weight, np.unique and a table of counts for the loss."""

import math

import numpy as np


# %%
def draw_violator(others, violates, draw, most):
    trials = 0
    while trials < most:
        trials += 1
        g = int(others[draw(others.size)])
        if violates(g):
            return g, trials
    return None, trials


# %%
def weight_of(m, trials):
    rank = math.floor((m - 1) / trials) or 1
    return math.fsum(1 / r for r in range(1, rank + 1))


# %%
def confusion_loss(predicted, y):
    labels, rows = np.unique(y, return_inverse=True)
    guesses, columns = np.unique(predicted, return_inverse=True)
    table = np.zeros((labels.size, guesses.size))
    np.add.at(table, (rows, columns), 1)
    shares = 1 - table / table.sum(axis=1, keepdims=True)
    return (table * shares * (labels[:, None] != guesses)).sum() / len(y)
