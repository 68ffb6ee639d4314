"""The kernels of nearest means and of one-vs-all: sums over classes, and a walk whose classes learn one by one."""

import numpy as np

from .._shared.jit import kernel
from .label_sets import nth_other
from .prototypes import Point, move, rate, score, square
from .walk import OUT_OF_RANGE


@kernel
def sums_of_classes(data, sums):
    """Add each example to the rows of its labels."""
    for t in range(len(data.starts) - 1):
        start, end = data.starts[t], data.starts[t + 1]
        for i in range(data.firsts[t], data.firsts[t + 1]):
            row = sums[data.classes[i]]
            if len(data.columns) == 0:
                for c in range(len(row)):
                    row[c] += data.values[start + c]
            else:
                for c in range(start, end):
                    row[data.columns[c]] += data.values[c]


@kernel
def one_vs_all_walk(data, prototypes, count, margin, step_size, max_norm, adagrad, numbers, most):
    """Up to so many steps, as far as the numbers last: how many were made, how many moved, how many numbers were used.

    A step that lacks numbers changes nothing. The last is OUT_OF_RANGE if a difference of scores is not finite.
    """
    m, d = prototypes.rows.shape
    point, used, moved = Point(np.empty(d), np.empty(d, np.int64), np.empty(d)), 0, 0
    for made in range(most):
        if used >= len(numbers):
            return made, moved, used
        t = int(numbers[used] * (len(data.starts) - 1))
        labels = data.classes[data.firsts[t] : data.firsts[t + 1]]
        if len(labels) == 0 or len(labels) == m:
            used += 1
            continue
        if used + 2 + count > len(numbers):
            return made, moved, used
        size, squared = _read(data, t, point)
        moves = False
        for i in range(1, 2 + count):
            u, sign = numbers[used + i], 1.0 if i == 1 else -1.0
            g = labels[int(u * len(labels))] if i == 1 else nth_other(labels, int(u * (m - len(labels))))
            difference = margin - sign * score(prototypes, g, point, size, squared, False)
            if difference - difference != 0:
                return made, moved, OUT_OF_RANGE
            if difference > 0:
                share = sign * rate(prototypes.sums, g, squared / d, step_size, adagrad)
                move(prototypes, g, share, 0.0, point, size, squared, max_norm)
                moves = True
        used += 2 + count
        moved += moves
    return most, moved, used


@kernel
def _read(data, t, point):
    """Example t becomes the point, dense or sparse as it is: its number of entries and squared norm."""
    start, end = data.starts[t], data.starts[t + 1]
    if len(data.columns) == 0:
        for c in range(end - start):
            point.z[c] = data.values[start + c]
        return 0, square(point.z)
    for i in range(start, end):
        point.places[i - start] = data.columns[i]
        point.values[i - start] = data.values[i]
    return end - start, square(point.values[: end - start])
