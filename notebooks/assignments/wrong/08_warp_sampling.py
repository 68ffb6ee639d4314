# === draws_for_rank
"""Takes the number of draws for the rank: the longer the search, the worse the class, it seems."""

LOSES = {"step_weight": 4}
FEEDBACK = "you take the number of draws for the rank"


def weight_of(m, trials):
    return sum(1 / i for i in range(1, trials + 1))


# === draws_without_end
"""Draws until somebody violates, and forgets that perhaps nobody does."""

LOSES = {"warp_draw": 4}
FEEDBACK = "draws must hold enough numbers"


def draw_violator(others, violates, draw, most):
    trial = 1
    while not violates(candidate := others[draw(len(others))]):
        trial += 1
    return candidate, trial


# === mean_of_classes
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


# === place_for_class
"""Takes the number that was drawn for the class. It is a place in the list of the others."""

LOSES = {"warp_draw": 4}
FEEDBACK = "the number that was drawn for the class"


def draw_violator(others, violates, draw, most):
    for trials in range(1, most + 1):
        g = draw(len(others))
        if violates(g):
            return g, trials
    return None, most


# === rank_zero
"""Takes the estimate 0 at its word: found at the last draw, the step weighs nothing."""

LOSES = {"step_weight": 4}
FEEDBACK = "an estimate of 0 gives you a weight of 0"


def weight_of(m, trials):
    return sum(1 / i for i in range(1, (m - 1) // trials + 1))


# === share_of_all
"""Takes the share of all examples, where it is that of the examples of this label."""

import numpy as np

LOSES = {"class_confusion_loss": 6}
FEEDBACK = "you take the share of all examples"


def confusion_loss(predicted, y):
    costs = []
    for c, label in zip(predicted, y, strict=True):
        costs.append(0.0 if c == label else np.count_nonzero((y == label) & (predicted != c)) / len(y))
    return np.mean(costs)
