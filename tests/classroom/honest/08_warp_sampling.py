# === tables
"""`for ... else` for the draw, a table of harmonic numbers for the weight, np.unique and counts for the loss."""

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
    labels, rows = np.unique(y, return_inverse=True)
    guesses, columns = np.unique(predicted, return_inverse=True)
    table = np.zeros((labels.size, guesses.size))
    np.add.at(table, (rows, columns), 1)
    shares = 1 - table / table.sum(axis=1, keepdims=True)
    return (table * shares * (labels[:, None] != guesses)).sum() / len(y)
