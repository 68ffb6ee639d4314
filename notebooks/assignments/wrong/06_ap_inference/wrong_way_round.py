"""Sorts the slopes by the order of the scores, where the inverse of that permutation is needed."""

import numpy as np

LOSES = {"semigradient": 3}
FEEDBACK = "the inverse of that permutation"


def slopes(p, n, ranks):
    P, N = len(p), len(n)
    before = np.searchsorted(np.sort(ranks), np.arange(1, P + 1), side="right")
    return (-2 * before / (P * N))[np.argsort(-p, kind="stable")], 2 * (P + 1 - ranks) / (P * N)
