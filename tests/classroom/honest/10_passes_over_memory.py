# === loops
"""Loops, math and a heap."""

import heapq
import math

import numpy as np


# %%
def predict(reads, writes, operations, length, itemsize, bandwidth, speed, call):
    seconds = 0.0
    for step in range(len(reads)):
        moved = (reads[step] + writes[step]) * itemsize * length
        seconds += call + max(moved / bandwidth, operations[step] * length / speed)
    return seconds


# %%
def absorb(largest, total, block):
    for a in block.tolist():
        if a > largest:
            total, largest = total * math.exp(largest - a) + 1.0, a
        else:
            total += math.exp(a - largest)
    return largest, total


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


# === merged_pairs
"""np.logaddexp for the sums, candidates that are filtered for the threshold."""

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
    left = list(range(len(maxima)))
    t, kept = None, np.array([])
    while left:
        i = max(left, key=lambda j: maxima[j])
        if t is not None and maxima[i] <= t:
            break
        left.remove(i)
        kept = np.append(kept, read(i))
        t = threshold_of(kept, radius)
        kept = kept[kept >= t]
    return t
