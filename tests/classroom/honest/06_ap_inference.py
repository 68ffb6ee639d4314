# === vectors_and_a_stack
"""AP by bincount, greedy by a matrix in blocks, a stack of tasks for quicksort, loops for the semigradient."""

import numpy as np
from numpy import cumsum as running


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
