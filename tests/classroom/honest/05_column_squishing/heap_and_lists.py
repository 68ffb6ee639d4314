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
