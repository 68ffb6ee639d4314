"""Adds up the pairs, and does not divide by their number."""

import numpy as np

LOSES = {"semigradient": 3}
FEEDBACK = "you forget to divide by P N"


def slopes(p, n, ranks):
    before = np.array([np.sum(ranks <= i) for i in range(1, len(p) + 1)])
    by_positive = np.empty(len(p))
    by_positive[np.argsort(-p, kind="stable")] = -2.0 * before
    return by_positive, 2.0 * (len(p) + 1 - ranks)
