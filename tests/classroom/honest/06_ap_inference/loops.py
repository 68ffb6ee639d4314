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
