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
