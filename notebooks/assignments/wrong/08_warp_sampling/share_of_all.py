"""Takes the share of all examples, where it is that of the examples of this label."""

import numpy as np

LOSES = {"class_confusion_loss": 6}
FEEDBACK = "you take the share of all examples"


def confusion_loss(predicted, y):
    costs = []
    for c, label in zip(predicted, y, strict=True):
        costs.append(0.0 if c == label else np.count_nonzero((y == label) & (predicted != c)) / len(y))
    return np.mean(costs)
