# === one_term_less
"""Adds 1/i for i in range(1, rank), and so leaves out the last term."""

LOSES = {"step_weight": 4}
FEEDBACK = "you leave out the last term"
SAYS = ["you leave out the last term, 1 / rank: range(1, rank) ends before it."]


def weight_of(m, trials):
    rank = max((m - 1) // trials, 1)
    return sum(1 / i for i in range(1, rank))


# === rounded_rank
"""Rounds (m - 1) / trials to the nearest integer, where it is rounded down."""

import numpy as np

LOSES = {"step_weight": 4}
FEEDBACK = "you round to the nearest integer"
SAYS = [
    "you round to the nearest integer; the estimate is rounded down.",
    "you round up; the estimate is rounded down.",
]  # both explain the instances that were drawn


def weight_of(m, trials):
    rank = max(round((m - 1) / trials), 1)
    return np.sum(1 / np.arange(1, rank + 1))
