# === loops
"""Loops: over positives and negatives for AP, over ranks for greedy, a stack of tasks for quicksort."""

import numpy as np


# %%
def average_precision_loss(ranks, P):
    total, ranks, passed = 0.0, sorted(ranks.tolist()), 0
    for i in range(1, P + 1):
        while passed < len(ranks) and ranks[passed] <= i:
            passed += 1
        total += i / (i + passed)
    return 1.0 - total / P


# %%
def greedy(p, n, price):
    P, ranks = len(p), np.zeros(len(n), dtype=np.int64)
    places = sorted(range(len(n)), key=lambda which: -n[which])
    i = np.arange(1, P + 1)
    for j, which in enumerate(places, start=1):
        costs = price(j, i)
        best, best_rank, f = 0.0, P + 1, 0.0
        for r in range(P, 0, -1):
            f += costs[r - 1] - (p[r - 1] - n[which])
            if f > best:
                best, best_rank = f, r
        ranks[which] = best_rank
    return ranks


# %%
def quicksort(p, n, best_rank):
    order = sorted(range(len(n)), key=lambda which: (-n[which], which))
    answer = [0] * len(n)
    tasks = [(0, len(n), 1, len(p) + 1)]
    while tasks:
        first, end, low, high = tasks.pop()
        if first == end:
            continue
        if low == high:
            for place in range(first, end):
                answer[order[place]] = low
            continue
        middle = (first + end - 1) // 2
        rank = int(best_rank(n[order[middle]], middle + 1, low, high))
        answer[order[middle]] = rank
        tasks += [(first, middle, low, rank), (middle + 1, end, rank, high)]
    return np.array(answer)


# %%
def slopes(p, n, ranks):
    P, N = len(p), len(n)
    by_positive, by_negative = [0.0] * P, []
    for i, which in enumerate(sorted(range(P), key=lambda which: -p[which]), start=1):
        by_positive[which] = -2 / (P * N) * int((ranks <= i).sum())
    for r in ranks:
        by_negative.append(2 / (P * N) * (P - r + 1))
    return np.array(by_positive), np.array(by_negative)


# === vectors
"""Whole arrays: AP by bincount, greedy by a matrix in blocks, quicksort by levels of recursion on sorted scores."""

import sys

import numpy as np
from numpy import cumsum as running

sys.setrecursionlimit(5000)


# %%
def average_precision_loss(ranks, P):
    before = np.bincount(ranks, minlength=P + 2)[: P + 1].cumsum()[1:]
    i = 1.0 + np.arange(P)
    return np.float64(np.mean(before / (i + before)))


# %%
def one_block(p, n, price, j):
    i = np.arange(len(p), 0, -1)
    gains = price(j[:, None], i[None, :]) + n[:, None] - p[::-1]
    f = np.hstack([np.zeros((len(n), 1)), running(gains, axis=1)])
    return len(p) + 1 - f.argmax(axis=1)


def greedy(p, n, price):
    order = np.lexsort((np.arange(len(n)), -n))
    ranks = np.zeros(len(n), dtype=np.int32)
    for start in range(0, len(n), 5000):
        block = order[start : start + 5000]
        ranks[block] = one_block(p, n[block], price, np.arange(start, start + len(block)) + 1)
    return ranks


# %%
def sorted_ranks(scores, first, low, high, best_rank):
    """Ranks of scores in descending order, of which the first has place `first`."""
    if scores.size == 0:
        return np.zeros(0, dtype=int)
    if low == high:
        return np.full(scores.size, low)
    half = scores.size // 2
    rank = best_rank(scores[half], first + half, low, high)
    above = sorted_ranks(scores[:half], first, low, rank, best_rank)
    below = sorted_ranks(scores[half + 1 :], first + half + 1, rank, high, best_rank)
    return np.concatenate([above, [rank], below]).astype(int)


def quicksort(p, n, best_rank):
    order = np.argsort(-n, kind="stable")
    back = np.argsort(order)
    return sorted_ranks(n[order], 1, 1, p.size + 1, best_rank)[back]


# %%
def slopes(p, n, ranks):
    pairs = 2.0 / (p.size * n.size)
    place = np.argsort(np.argsort(-p, kind="stable")) + 1
    counts = np.cumsum(np.bincount(ranks, minlength=p.size + 2))
    return -pairs * counts[place], pairs * (p.size + 1 - ranks)
