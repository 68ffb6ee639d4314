"""Averages over the examples of each label, and then over the labels."""

import numpy as np

LOSES = {"class_confusion_loss": 6}
FEEDBACK = "the mean over labels of the means"


def confusion_loss(predicted, y):
    means = []
    for label in np.unique(y):
        guesses = predicted[y == label]
        means.append(np.mean([np.mean(guesses != c) if c != label else 0.0 for c in guesses]))
    return float(np.mean(means))
