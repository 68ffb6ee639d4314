"""Counts P - r positives after a negative of rank r."""

import numpy as np

LOSES = {"semigradient": 3}
FEEDBACK = "you count P - r positives"


def slopes(p, n, ranks):
    P, N = len(p), len(n)
    by_positive = np.empty(P)
    before = np.searchsorted(np.sort(ranks), np.arange(1, P + 1), side="right")
    by_positive[np.argsort(-p, kind="stable")] = -2 * before / (P * N)
    return by_positive, 2 * (P - ranks) / (P * N)
