# === counting
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


# === pairs
"""bincount of coded pairs for the loss, a table of harmonic numbers for the weight, `for ... else` for the draw."""

import numpy as np


# %%
def draw_violator(others, violates, draw, most):
    for count in range(1, most + 1):  # noqa: B007 - it is used after the loop
        g = others[draw(len(others))]
        if violates(g):
            break
    else:
        return (None, most)
    return [g, count]


# %%
H = np.cumsum(1.0 / np.arange(1, 10_001))
print("H of ten thousand:", H[-1])


# %%
def weight_of(m, trials):
    r = (m - 1) // trials
    return H[max(r, 1) - 1]


# %%
def confusion_loss(predicted, y):
    size = int(max(predicted.max(), y.max())) + 1
    pair = y * size + predicted
    same_pair = np.bincount(pair, minlength=size * size)[pair]
    same_label = np.bincount(y, minlength=size)[y]
    cost = (same_label - same_pair) / same_label
    return float(cost[predicted != y].sum() / y.size)
