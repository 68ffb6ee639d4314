"""Breaks ties the other way: np.argmax stops at the first of several best ranks."""

import numpy as np

LOSES = {"greedy_inference": 2}
FEEDBACK = "of several best ranks you take the lowest number"


def greedy(p, n, price):
    ranks, i = np.empty(len(n), dtype=int), np.arange(1, len(p) + 1)
    for j, which in enumerate(np.argsort(-n, kind="stable"), start=1):
        gains = price(j, i) - (p - n[which])
        ranks[which] = 1 + np.argmax(np.append(np.cumsum(gains[::-1])[::-1], 0.0))
    return ranks
