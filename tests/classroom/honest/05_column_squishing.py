# === heap_and_dictionary
"""A heap for the column, an update that reads the classes from a dictionary; learns on copies of its own, in place."""

import heapq
import time  # noqa: F401 - always the first line of my notebooks

import numpy as np


# %%
def squish(z, lower, upper):
    heap = [-v for v in z[1:].tolist()]
    heapq.heapify(heap)
    total, count = z[0], 1
    while heap and -heap[0] > min(max(total / count, lower), upper):
        total -= heapq.heappop(heap)
        count += 1
    level = min(max(total / count, lower), upper)
    return np.array([level] + [max(min(v, level), lower) for v in z[1:].tolist()])


# %%
def exact_steps(scores, y, squared_norm, margin, squish):
    m = len(scores)
    moved = dict.fromkeys(range(m), 0.0)
    if squared_norm > 0:
        rivals = [j for j in range(m) if j != y]
        D = np.array([0.0] + [(scores[j] + margin - scores[y]) / squared_norm for j in rivals])
        for j, change in zip([y, *rivals], squish(D) - D):  # noqa: B905
            moved[j] = change
    return np.array([moved[j] for j in range(m)])


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
