"""Sorts by np.argsort(n)[::-1]: of negatives with equal scores, the last to come is the highest."""

import numpy as np

LOSES = {"greedy_inference": 2}
FEEDBACK = "take the last to come for the highest"


def greedy(p, n, price):
    ranks, P = np.empty(len(n), dtype=int), len(p)
    order = np.argsort(n, kind="stable")[::-1]
    j, i = np.arange(1, len(n) + 1), np.arange(1, P + 1)
    gains = price(j[:, None], i) - (p - n[order][:, None])
    f = np.column_stack([np.zeros(len(n)), np.cumsum(gains[:, ::-1], axis=1)])
    ranks[order] = P + 1 - np.argmax(f, axis=1)
    return ranks
