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
