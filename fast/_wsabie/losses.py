"""The kernels of the losses over classes that violate the margin.

Class g violates the margin for a label of example t if  margin - f_label + f_g > 0  and g is no label of t. Examples
with no label, or all, are left out.
"""

import numpy as np

from .._shared.jit import kernel
from .label_sets import is_label

NEVER = -1  # stands for the last example with a label that no example had so far


@kernel
def mean_hinges(scores, classes, first_labels, margin):
    """The mean over pairs of a label and another class of their hinge, for each example that has such pairs.

    Returns the means in the order of the examples.
    """
    n, m = scores.shape
    losses, filled = np.empty(n), 0
    for t in range(n):
        labels, row, total = classes[first_labels[t] : first_labels[t + 1]], scores[t], 0.0
        if 0 < len(labels) < m:
            for i in range(len(labels)):
                offset, passed = margin - row[labels[i]], 0
                for g in range(m):
                    if passed < len(labels) and labels[passed] == g:
                        passed += 1
                    else:
                        total += max(offset + row[g], 0.0)
            losses[filled] = total / (len(labels) * (m - len(labels)))
            filled += 1
    return losses[:filled]


@kernel
def weighted_hinges(scores, classes, first_labels, margin, weights, links):
    """The weighted sum over labels and violators of their hinges, for each example that has a label and lacks one.

    Violators to which at most `links` steps lead (see `_stamp_reached`) are left out of the sum, but count for the
    weight: it is weights[r - 1] for r violators. Returns the losses in the order of the examples.
    """
    n, m = scores.shape
    losses, filled, stamp = np.empty(n), 0, 0
    seen, reached, queue = np.full(m, NEVER), np.zeros(m, np.int64), np.empty(m + 1, np.int64)
    for t in range(n):
        labels, row, loss = classes[first_labels[t] : first_labels[t + 1]], scores[t], 0.0
        if 0 < len(labels) < m:
            for i in range(len(labels)):
                stamp += 1
                _stamp_reached(scores, classes, first_labels, margin, labels[i], links, seen, reached, stamp, queue)
                offset, total, violators = margin - row[labels[i]], 0.0, 0
                for g in range(m):
                    if offset + row[g] > 0 and not is_label(labels, g):
                        violators += 1
                        if reached[g] != stamp:
                            total += offset + row[g]
                loss += weights[violators - 1] * total if violators > 0 else 0.0
            for i in range(len(labels)):
                seen[labels[i]] = t
            losses[filled] = loss
            filled += 1
    return losses[:filled]


@kernel
def _stamp_reached(scores, classes, first_labels, margin, label, links, seen, reached, stamp, queue):
    """Set reached[g] = stamp for each class g to which 1, ..., `links` steps lead from the label.

    A step leads from a class to each class that violated its margin in seen[class], the last example that had it as a
    label, or NEVER. `queue` (m + 1,) is memory.
    """
    queue[0] = label
    begin, end = 0, 1
    for _ in range(links):
        newest = end
        for i in range(begin, newest):
            s = seen[queue[i]]
            if s != NEVER:
                labels, row = classes[first_labels[s] : first_labels[s + 1]], scores[s]
                offset = margin - row[queue[i]]
                for g in range(len(row)):
                    if offset + row[g] > 0 and reached[g] != stamp and not is_label(labels, g):
                        reached[g] = stamp
                        queue[end] = g
                        end += 1
        if end == newest:
            return
        begin = newest
