# === cumulative_means
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


# === heap_and_lists
"""A heap for the column, lists for the stream, an update that reads the classes from a dictionary."""

import heapq

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
    history, wrong = [A], []
    for i in visits:
        now = history[-1]
        wrong.append(1 if is_mistake(now, i) else 0)
        history.append(now + np.multiply.outer(steps_for(now, i), X[i]))
    updates = sum(not np.array_equal(a, b) for a, b in zip(history, history[1:]))  # noqa: B905
    mistakes = np.array([sum(wrong[: t + 1]) for t in range(len(wrong))])
    return history[-1], np.mean(history[1:], axis=0), mistakes, updates
