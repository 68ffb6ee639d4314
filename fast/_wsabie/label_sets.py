"""Examples with sets of labels as the kernels read them, and searches in one sorted set of labels."""

from typing import NamedTuple

import numpy as np

from .._shared.examples import Rows, matrix_rows
from .._shared.jit import inlined


class LabelledExamples(NamedTuple):
    """Features and labels. The labels of example t are classes[first_labels[t]:first_labels[t + 1]], ascending."""

    rows: Rows
    classes: np.ndarray
    first_labels: np.ndarray  # (n + 1,)


@inlined
def labels_up_to(labels, g):
    """The number of labels <= g."""
    low, high = 0, len(labels)
    while low < high:
        middle = (low + high) // 2
        if labels[middle] <= g:
            low = middle + 1
        else:
            high = middle
    return low


@inlined
def is_label(labels, g):
    """Whether class g is one of the labels."""
    count = labels_up_to(labels, g)
    return count > 0 and labels[count - 1] == g


@inlined
def nth_other(labels, n):
    """The n-th class that is no label, counted from 0. Below labels[i] there are labels[i] - i such classes."""
    low, high = 0, len(labels)
    while low < high:
        middle = (low + high) // 2
        if labels[middle] - middle <= n:
            low = middle + 1
        else:
            high = middle
    return n + low


def labelled_examples(X, sets):
    """Features (n, d) and their sets of labels, for the kernels."""
    return LabelledExamples(matrix_rows(X), sets.classes, sets.starts)
