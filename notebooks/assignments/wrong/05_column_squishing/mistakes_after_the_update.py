"""Asks whether the classifier is wrong after it has been told the answer."""

import numpy as np

LOSES = {"fit_passive_aggressive": 4}
FEEDBACK = "you count mistakes after the update"


def learn(X, y, A, visits, steps_for, is_mistake):
    total, wrong, updates = np.zeros(A.shape), [], 0
    for i in visits:
        steps = steps_for(A, i)
        A = A + np.outer(steps, X[i])
        wrong.append(is_mistake(A, i))
        updates += bool(np.any(steps))
        total += A
    return A, total / len(visits), np.cumsum(wrong), updates
