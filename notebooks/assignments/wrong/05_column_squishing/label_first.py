"""Returns the steps as they were squished, the label first, and not in the order of the classes."""

import numpy as np

LOSES = {"multiclass_update": 5}
FEEDBACK = "in the order of the column, the label first"


def exact_steps(scores, y, squared_norm, margin, squish):
    if squared_norm == 0:
        return np.zeros(len(scores))
    D = np.append(0.0, (np.delete(scores, y) - scores[y] + margin) / squared_norm)
    return squish(D) - D
