# === arrays
"""Sorted rivals and searchsorted for the errors, arrays with inf for what was not tried."""

import numpy as np


# %%
def errors_at(scores, y, ks):
    n, m = scores.shape
    rivals = scores[np.arange(m) != y[:, None]].reshape(n, m - 1)
    own = scores[np.arange(n), y]
    pairs = zip(rivals, own, strict=True)
    ranks = np.array([m - 1 - np.searchsorted(np.sort(row), s, side="left") for row, s in pairs])
    return np.where(ranks[:, None] < np.asarray(ks)[None, :], 0.0, 1.0)


# %%
def interval(one, other, test_share, quantile):
    d = np.subtract(one, other)
    J = d.size
    error = np.sqrt(np.sum((d - d.mean()) ** 2) / (J - 1) * (1 / J + test_share))
    return d.mean() + np.array([-1.0, 1.0])[0] * quantile * error, d.mean() + quantile * error


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


# === loops
"""Loops and the statistics module."""

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
def choose(validation_error, test_error, start):
    known = {}

    def error(v):
        if v not in known:
            known[v] = validation_error(v)
        return known[v]

    best = None
    for v in sorted(start, reverse=True):
        if best is None or error(v) < error(best):
            best = int(v)
    while True:
        before = best
        for v in (before + 1, before - 1):
            if -6 <= v <= 6 and (error(v), -v) < (error(best), -best):
                best = v
        if best == before:
            return best, test_error(best)
