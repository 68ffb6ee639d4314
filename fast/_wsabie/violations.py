"""The kernels of the losses over classes that violate the margin.

Class g violates it for a label of example t if  margin - f_label + f_g > 0  and g is no label of t. Examples with no
label, or all, are left out.
"""

import numpy as np

from .._shared.jit import inlined, kernel
from .label_sets import labels_up_to


@kernel
def mean_hinges(scores, classes, starts, margin):
    """The mean of the hinges of an example's labels and other classes, for each example that has both."""
    n, m = scores.shape
    losses, filled = np.empty(n), 0
    for t in range(n):
        labels, row, total = classes[starts[t] : starts[t + 1]], scores[t], 0.0
        if 0 < len(labels) < m:
            for i in range(len(labels)):
                threshold, place = margin - row[labels[i]], 0
                for g in range(m):
                    if place < len(labels) and labels[place] == g:
                        place += 1
                    else:
                        total += max(threshold + row[g], 0.0)
            losses[filled] = total / (len(labels) * (m - len(labels)))
            filled += 1
    return losses[:filled]


@kernel
def weighted_hinges(scores, classes, starts, margin, weights, links):
    """The weighted sum of the hinges of an example's labels and their violators, for each example that has both."""
    n, m = scores.shape
    losses, filled, stamp = np.empty(n), 0, 0
    seen, reached, queue = np.full(m, -1), np.zeros(m, np.int64), np.empty(m + 1, np.int64)
    for t in range(n):
        labels, row, loss = classes[starts[t] : starts[t + 1]], scores[t], 0.0
        if 0 < len(labels) < m:
            for i in range(len(labels)):
                stamp += 1
                _reach(scores, classes, starts, margin, labels[i], links, seen, reached, stamp, queue)
                threshold, total, violators = margin - row[labels[i]], 0.0, 0
                for g in range(m):
                    if threshold + row[g] > 0 and not _is_label(labels, g):
                        violators += 1
                        if reached[g] != stamp:
                            total += threshold + row[g]
                loss += weights[violators - 1] * total if violators > 0 else 0.0
            for i in range(len(labels)):
                seen[labels[i]] = t
            losses[filled] = loss
            filled += 1
    return losses[:filled]


@kernel
def _reach(scores, classes, starts, margin, label, links, seen, reached, stamp, queue):
    """Stamp the classes to which up to so many steps lead, from a class to a violator of the last time it was seen."""
    queue[0] = label
    begin, end = 0, 1
    for _ in range(links):
        newest = end
        for i in range(begin, newest):
            s = seen[queue[i]]
            if s >= 0:
                labels, row = classes[starts[s] : starts[s + 1]], scores[s]
                threshold = margin - row[queue[i]]
                for g in range(len(row)):
                    if threshold + row[g] > 0 and reached[g] != stamp and not _is_label(labels, g):
                        reached[g] = stamp
                        queue[end] = g
                        end += 1
        if end == newest:
            return
        begin = newest


@inlined
def _is_label(labels, g):
    place = labels_up_to(labels, g)
    return place > 0 and labels[place - 1] == g
