# === merged_pairs_and_a_heap
"""Arrays for the time, np.logaddexp for the sums, a heap for the threshold."""

import heapq
import math

import numpy as np


# %%
def predict(reads, writes, operations, length, itemsize, bandwidth, speed, call):
    times = np.stack([(reads + writes) * (itemsize / bandwidth), operations / speed]) * length
    return call * reads.size + times.max(axis=0).sum()


# %%
def absorb(largest, total, block):
    here = block.max()
    if here <= largest:
        return largest, total + np.exp(block - largest).sum()
    old = -np.inf if total == 0 else largest + np.log(total)
    return here, np.exp(np.logaddexp(old, here + np.log(np.exp(block - here).sum())) - here)


# %%
def find_threshold(maxima, read, radius):
    waiting = [(-m, i) for i, m in enumerate(maxima.tolist())]
    heapq.heapify(waiting)
    numbers, t = [], -math.inf
    while waiting and -waiting[0][0] > t:
        _, i = heapq.heappop(waiting)
        numbers.extend(read(i).tolist())
        numbers.sort(reverse=True)
        t = max((s - radius) / j for j, s in enumerate(np.cumsum(numbers).tolist(), start=1))
    return t
