"""The kernels of nearest means and of one-vs-all: sums over classes, and a walk whose classes learn one by one."""

import numpy as np

from .._shared.examples import is_dense
from .._shared.jit import inlined, kernel
from .label_sets import nth_other
from .outcomes import Walked
from .prototypes import Point, move_prototype, prototype_score, row_step_size
from .vectors import squared_norm


@kernel
def add_to_class_sums(data, shares, sums):
    """Add each example times a share to sums[g] (d,), for each of its labels g. The shares are those of the labels."""
    rows, dense = data.rows, is_dense(data.rows)
    for t in range(len(rows.starts) - 1):
        start, end = rows.starts[t], rows.starts[t + 1]
        for i in range(data.first_labels[t], data.first_labels[t + 1]):
            row, share = sums[data.classes[i]], shares[i]
            if dense:
                for c in range(len(row)):
                    row[c] += share * rows.values[start + c]
            else:
                for c in range(start, end):
                    row[rows.columns[c]] += share * rows.values[c]


@kernel
def walk_by_classes(data, prototypes, negatives, margin, step_size, max_norm, adagrad, numbers, count):
    """Make `count` steps, or as many as the numbers suffice for. Returns what was done, as Walked.

    A step shows one example to one of its labels, and then to `negatives` drawn classes. A step that lacks numbers
    changes nothing. The walk ends at a difference of scores that is not finite.
    """
    (m, d), dense = prototypes.rows.shape, is_dense(data.rows)
    point, used, moved = Point(np.empty(d), np.empty(d, np.int64), np.empty(d)), 0, 0
    for made in range(count):
        if used >= len(numbers):
            return Walked(made, moved, used, True)
        t = int(numbers[used] * (len(data.first_labels) - 1))
        labels = data.classes[data.first_labels[t] : data.first_labels[t + 1]]
        if len(labels) == 0 or len(labels) == m:
            used += 1
            continue
        if used + 2 + negatives > len(numbers):
            return Walked(made, moved, used, True)
        size, squared = _read_whole(data.rows, t, dense, point)
        moves = False
        for i in range(1, 2 + negatives):
            u, sign = numbers[used + i], 1.0 if i == 1 else -1.0
            g = labels[int(u * len(labels))] if i == 1 else nth_other(labels, int(u * (m - len(labels))))
            difference = margin - sign * prototype_score(prototypes, g, point, size, squared, False)
            if difference - difference != 0:
                return Walked(made, moved, used, False)
            if difference > 0:
                step = sign * row_step_size(prototypes.sums, g, squared / d, step_size, adagrad)
                move_prototype(prototypes, g, step, 0.0, point, size, squared, max_norm)
                moves = True
        used += 2 + negatives
        moved += moves
    return Walked(count, moved, used, True)


@inlined
def _read_whole(rows, t, dense, point):
    """Example t becomes the point, dense or sparse as it is. Returns its number of CSR entries and its squared norm.

    Unlike the walk of pairs, it keeps entries that are 0 and sums squares in any order: its loops are vectorised.
    """
    start, end = rows.starts[t], rows.starts[t + 1]
    if dense:
        for c in range(end - start):
            point.z[c] = rows.values[start + c]
        return 0, squared_norm(point.z)
    for i in range(start, end):
        point.columns[i - start] = rows.columns[i]
        point.values[i - start] = rows.values[i]
    return end - start, squared_norm(point.values[: end - start])
