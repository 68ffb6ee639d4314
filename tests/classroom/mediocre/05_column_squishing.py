# === counts_as_floats
"""Counts mistakes in an array of np.zeros, which holds floats."""

import numpy as np

LOSES = {"fit_passive_aggressive": 4}
FEEDBACK = "number 3 should be an array of integers, got float64"
SAYS = []


def learn(X, y, A, visits, steps_for, is_mistake):
    mistakes, total, updates = np.zeros(len(visits)), np.zeros_like(A), 0
    for t, i in enumerate(visits):
        mistakes[t] = is_mistake(A, i)
        d = steps_for(A, i)
        A = A + np.outer(d, X[i])
        updates += int(d.any())
        total += A
    return A, total / len(visits), np.cumsum(mistakes), updates


# === mistakes_only
"""A perceptron: learns from mistakes only, and not from examples that are right by less than the margin."""

import numpy as np

LOSES = {"fit_passive_aggressive": 4}
FEEDBACK = "you change the weights at mistakes only"
SAYS = ["you change the weights at mistakes only, as a perceptron does, and count an update for each mistake."]


def learn(X, y, A, visits, steps_for, is_mistake):
    total, mistakes, count, updates = np.zeros_like(A), [], 0, 0
    for i in visits:
        if is_mistake(A, i):
            count += 1
            updates += 1
            A = A + np.outer(steps_for(A, i), X[i])
        mistakes.append(count)
        total += A
    return A, total / len(visits), np.array(mistakes), updates
