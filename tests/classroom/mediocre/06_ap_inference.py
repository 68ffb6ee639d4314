# === halves_exchanged
"""Gives the ranks up to the best one to the lower half, and those from there on to the upper half."""

import numpy as np

LOSES = {"quicksort_inference": 4}
FEEDBACK = "the halves are exchanged"
SAYS = ["the halves are exchanged: those above the median have the ranks up to its rank, those below it from there on."]


def quicksort(p, n, best_rank):
    order, ranks = np.argsort(-n, kind="stable"), np.zeros(len(n), dtype=int)

    def solve(first, end, low, high):
        if first >= end:
            return
        middle = (first + end) // 2
        best = best_rank(n[order[middle]], middle + 1, low, high)
        ranks[order[middle]] = best
        solve(first, middle, best, high)
        solve(middle + 1, end, low, best)

    solve(0, len(n), 1, len(p) + 1)
    return ranks


# === ranks_as_sorted
"""Searches the ranks as if they came in ascending order."""

import numpy as np

LOSES = {"ap_loss": 3}
FEEDBACK = "as if they were sorted"
SAYS = ["you search the ranks as if they were sorted; they come in any order."]


def average_precision_loss(ranks, P):
    i = np.arange(1, P + 1)
    return 1 - np.mean(i / (i + np.searchsorted(ranks, i, side="right")))
