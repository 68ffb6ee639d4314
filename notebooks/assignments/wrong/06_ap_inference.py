# === first_is_number_zero
"""Counts positives from 0: the first one has a precision of 0."""

import numpy as np

LOSES = {"ap_loss": 3}
FEEDBACK = "your first positive counts as number 0"


def average_precision_loss(ranks, P):
    precisions = []
    for i in range(P):
        before = np.count_nonzero(ranks <= i + 1)
        precisions.append(i / (i + before) if i + before else 0.0)
    return 1 - np.mean(precisions)


# === greedy_again
"""Hands in greedy under the name of quicksort: right answers, and the work of P for each negative."""

import numpy as np

LOSES = {"quicksort_inference": 4}
FEEDBACK = "BudgetIsSpent"


def quicksort(p, n, best_rank):
    ranks = np.empty(len(n), dtype=int)
    for j, which in enumerate(np.argsort(-n, kind="stable"), start=1):
        ranks[which] = best_rank(n[which], j, 1, len(p) + 1)
    return ranks


# === later_of_equals
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


# === lowest_of_the_best
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


# === one_positive_less
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


# === pairs_not_averaged
"""Adds up the pairs, and does not divide by their number."""

import numpy as np

LOSES = {"semigradient": 3}
FEEDBACK = "you forget to divide by P N"


def slopes(p, n, ranks):
    before = np.array([np.sum(ranks <= i) for i in range(1, len(p) + 1)])
    by_positive = np.empty(len(p))
    by_positive[np.argsort(-p, kind="stable")] = -2.0 * before
    return by_positive, 2.0 * (len(p) + 1 - ranks)


# === positives_as_they_come
"""Takes the i-th positive of the input for the i-th highest."""

import numpy as np

LOSES = {"semigradient": 3}
FEEDBACK = "you take the positives in the order in which they came"


def slopes(p, n, ranks):
    P, N = len(p), len(n)
    before = np.array([np.count_nonzero(ranks <= i) for i in range(1, P + 1)])
    return -2 * before / (P * N), 2 * (P + 1 - ranks) / (P * N)


# === wrong_way_round
"""Sorts the slopes by the order of the scores, where the inverse of that permutation is needed."""

import numpy as np

LOSES = {"semigradient": 3}
FEEDBACK = "the inverse of that permutation"


def slopes(p, n, ranks):
    P, N = len(p), len(n)
    before = np.searchsorted(np.sort(ranks), np.arange(1, P + 1), side="right")
    return (-2 * before / (P * N))[np.argsort(-p, kind="stable")], 2 * (P + 1 - ranks) / (P * N)
