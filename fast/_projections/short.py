"""A short row: one pass finds the largest coordinates and the candidates, and the answer is written in place.

Splitting a row into blocks is worth its trouble only if the row is long. A short row is read once, coordinate by
coordinate. The largest coordinates so far give a lower bound of the threshold, and a coordinate below it is dropped.
"""

import numpy as np

from .._shared.jit import kernel
from .._shared.order import replace_smallest, sort_heap
from .candidates import Memory
from .thresholds import just_below


@kernel
def short_memory(d, largest, excess):
    """Returns the Memory of short rows with d coordinates: room for the largest and for the excesses, in one piece."""
    scratch = np.empty(d + largest + excess)
    return Memory(scratch[:d], scratch[d : d + largest], scratch[d + largest :])


@kernel
def collect_above(x, floor, reach, memory):
    """Write the largest coordinates, in descending order, and all candidates. Returns the number of candidates.

    A candidate is above the floor. All coordinates above the smallest of the largest less `reach` are candidates.
    """
    candidates, largest, m, bound = memory.candidates, memory.largest, 0, floor
    for j in range(largest.size):
        largest[j] = -np.inf
    for i in range(x.size):
        value = np.float64(x[i])
        candidates[m] = value
        m += value > bound
        if value > largest[0]:
            replace_smallest(value, largest, largest.size)
            bound = max(floor, just_below(largest[0] - reach))
    sort_heap(largest)
    return m


@kernel
def collect_all(x, memory):
    """Do the same for k = 1, but let every coordinate be a candidate. Returns their number."""
    candidates, highest = memory.candidates, -np.inf
    for i in range(x.size):
        candidates[i] = x[i]
        highest = max(highest, np.float64(x[i]))
    memory.largest[:] = highest
    return x.size


@kernel
def clip_in_place(x, shift, t, u):
    """x <- clip(x - shift - t, 0, u)."""
    for i in range(x.size):
        x[i] = min(max((x[i] - shift) - t, 0.0), u)


@kernel
def share_in_place(x, least, u):
    """x <- u where x >= least, and 0 elsewhere."""
    for i in range(x.size):
        x[i] = u if x[i] >= least else 0.0
