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
