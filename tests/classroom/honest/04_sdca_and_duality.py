# === einsums
"""The same formulas by np.partition, np.delete, np.insert and einsum."""

import numpy as np


# %%
def hinge(scores, y, k, kind):
    own = np.take_along_axis(scores, y[:, None], axis=1)
    margins = scores - own + 1.0
    np.put_along_axis(margins, y[:, None], 0.0 if kind == "alpha_inclusive" else -np.inf, axis=1)
    if kind == "beta":
        margins = np.clip(margins, 0.0, None)
    top = -np.partition(-margins, k - 1, axis=1)[:, :k]
    return np.maximum(0.0, top.sum(axis=1) / k)


# %%
def best_row(scores, row, squared_norm, label, k, radius, project):
    if squared_norm > 0:
        without = scores - row * squared_norm
        x = project(np.delete(without - without[label] + 1, label) / squared_norm)
    else:
        x = np.repeat([radius / k, 0.0], [k, len(row) - 1 - k])
    return np.insert(-x, label, np.sum(x))


# %%
def objectives(K, duals, y, losses, regularization):
    squared = np.einsum("ij,ik,kj->", duals, K, duals)
    own = np.einsum("ij,ij->", duals, np.eye(duals.shape[1])[y])
    return np.average(losses) + regularization * squared / 2, regularization * (own - squared / 2)


# === loops
"""Loops in plain Python, an example and a class at a time; prints and a figure on the way."""

import math

import matplotlib.pyplot as plt
import numpy as np

# %%
print("my three losses")


def of_one(scores, label, k, kind):
    margins = [1 + s - scores[label] for j, s in enumerate(scores) if j != label]
    if kind == "alpha_inclusive":
        margins.append(0.0)
    if kind == "beta":
        margins = [max(0.0, h) for h in margins]
    margins.sort(reverse=True)
    return max(0.0, math.fsum(margins[:k]) / k)


def hinge(scores, y, k, kind):
    losses = [of_one(row.tolist(), int(label), k, kind) for row, label in zip(scores, y)]  # noqa: B905
    return np.array(losses)


# %%
plt.plot([float(hinge(np.array([[0.0, s, 0.0]]), np.array([0]), 1, "alpha")[0]) for s in np.linspace(-3, 3, 30)])


# %%
def best_row(scores, row, squared_norm, label, k, radius, project):
    m, b = len(row), []
    q = [scores[j] - squared_norm * row[j] for j in range(m)]
    rivals = [j for j in range(m) if j != label]
    answer = np.zeros(m)
    if squared_norm == 0.0:
        for j in rivals[:k]:
            answer[j] = -radius / k
    else:
        for j in rivals:
            b.append((q[j] + 1 - q[label]) / squared_norm)
        answer[rivals] = -project(np.array(b))
    answer[label] = -sum(answer)
    return answer


# %%
def objectives(K, duals, y, losses, regularization):
    n, m = duals.shape
    squared = 0.0
    for j in range(m):
        squared += duals[:, j].dot(K).dot(duals[:, j])
    own = sum(duals[i, y[i]] for i in range(n))
    P = 0.5 * regularization * squared + sum(losses) / n
    return [P, regularization * own - 0.5 * regularization * squared]
