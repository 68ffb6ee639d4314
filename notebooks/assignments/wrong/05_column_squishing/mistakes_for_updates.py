"""Counts an update for each mistake. An example that is right by less than the margin changes the weights, too."""

import numpy as np

LOSES = {"fit_passive_aggressive": 4}
FEEDBACK = "you count an update for each mistake"


def learn(X, y, A, visits, steps_for, is_mistake):
    total, wrong = np.zeros_like(A), []
    for i in visits:
        wrong.append(is_mistake(A, i))
        A = A + np.outer(steps_for(A, i), X[i])
        total += A
    return A, total / len(visits), np.cumsum(wrong), int(sum(wrong))
