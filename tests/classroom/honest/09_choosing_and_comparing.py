# === loops_and_arrays
"""Loops for the errors, the statistics module, an array with inf for what was not tried."""

import statistics

import numpy as np


# %%
def errors_at(scores, y, ks):
    table = np.zeros((len(scores), len(ks)))
    for i, row in enumerate(scores):
        ahead = sum(1 for j, s in enumerate(row) if j != y[i] and s >= row[y[i]])
        for c, k in enumerate(ks):
            table[i, c] = 1 if ahead >= k else 0
    return table


# %%
def interval(one, other, test_share, quantile):
    differences = [a - b for a, b in zip(one.tolist(), other.tolist(), strict=True)]
    error = statistics.stdev(differences) * (1 / len(differences) + test_share) ** 0.5
    mean = statistics.fmean(differences)
    return mean - quantile * error, mean + quantile * error


# %%
print("exponents", np.arange(-6, 7))


# %%
def choose(validation_error, test_error, start):
    errors = np.full(13, np.inf)
    todo = [int(v) for v in start]
    while todo:
        for v in todo:
            errors[v + 6] = validation_error(v)
        best = 12 - int(np.argmin(errors[::-1])) - 6
        todo = [v for v in (best - 1, best + 1) if 0 <= v + 6 < 13 and np.isinf(errors[v + 6])]
    return best, test_error(best)
