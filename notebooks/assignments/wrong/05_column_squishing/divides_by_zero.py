"""Does not think of x = 0, and divides by its squared norm."""

import numpy as np

LOSES = {"multiclass_update": 2.5}
FEEDBACK = "Kind of case: x = 0."


def exact_steps(scores, y, squared_norm, margin, squish):
    rivals, steps = np.arange(len(scores)) != y, np.zeros(len(scores))
    D = np.append(0.0, (scores[rivals] - scores[y] + margin) / np.float64(squared_norm))
    d = squish(D) - D
    steps[y], steps[rivals] = d[0], d[1:]
    return steps
