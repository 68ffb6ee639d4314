"""Examples with sets of labels as the kernels read them, and searches in one sorted set of labels."""

from typing import NamedTuple

import numpy as np

from .._shared.examples import read_only
from .._shared.jit import inlined


class LabelledExamples(NamedTuple):
    """Features and labels of n examples, each kind in one array with the start of each example.

    The features of example t are values[starts[t]:starts[t + 1]] in the columns of the same places, or in all columns
    if `columns` is empty (dense). Its labels are classes[first_labels[t]:first_labels[t + 1]], ascending.
    """

    values: np.ndarray
    columns: np.ndarray
    starts: np.ndarray  # (n + 1,)
    classes: np.ndarray
    first_labels: np.ndarray  # (n + 1,)
    dims: int  # d


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


def feature_rows(X):
    """(values, columns, starts) of dense or CSR features, without a copy of the values where that is possible."""
    n, d = X.shape
    if hasattr(X, "tocsr"):
        values, columns, starts = np.ascontiguousarray(X.data), X.indices.astype(np.int64), X.indptr.astype(np.int64)
        if len(columns) == 0:  # without an entry, X would be taken for a dense matrix
            values, columns = np.zeros(1, values.dtype), np.zeros(1, np.int64)
    else:
        values, columns = np.ascontiguousarray(np.asarray(X)).reshape(-1), np.zeros(0, np.int64)
        starts = np.arange(n + 1) * d
    return read_only(values), columns, starts


def labelled_examples(X, sets):
    """Features (n, d) and their sets of labels, for the kernels."""
    return LabelledExamples(*feature_rows(X), sets.classes, sets.starts, X.shape[1])
