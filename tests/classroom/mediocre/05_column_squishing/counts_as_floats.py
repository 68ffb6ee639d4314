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
