"""The labels of the examples as the kernels read them: sorted, side by side, with the start of each set."""

from typing import NamedTuple

import numpy as np

from .._shared.examples import read_only
from .._shared.jit import inlined


class Sets(NamedTuple):
    """Features and labels: of example t those from starts[t] to starts[t + 1]."""

    values: np.ndarray
    columns: np.ndarray  # of the features, if they are sparse
    starts: np.ndarray
    classes: np.ndarray  # the labels
    firsts: np.ndarray  # and where they start
    dims: int


@inlined
def labels_up_to(labels, g):
    """How many labels are no more than g."""
    low, high = 0, len(labels)
    while low < high:
        middle = (low + high) // 2
        if labels[middle] <= g:
            low = middle + 1
        else:
            high = middle
    return low


@inlined
def nth_other(labels, place):
    """The class at that place among those that are no labels: labels[i] - i of them are below label i."""
    low, high = 0, len(labels)
    while low < high:
        middle = (low + high) // 2
        if labels[middle] - middle <= place:
            low = middle + 1
        else:
            high = middle
    return place + low


def features_and_sets(X, sets):
    """Features and labels for the kernels, without a copy where that is possible."""
    n, d = X.shape
    if hasattr(X, "tocsr"):
        values, columns, starts = np.ascontiguousarray(X.data), X.indices.astype(np.int64), X.indptr.astype(np.int64)
        if len(columns) == 0:  # none at all would mean dense
            values, columns = np.zeros(1, values.dtype), np.zeros(1, np.int64)
    else:
        values, columns = np.ascontiguousarray(np.asarray(X)).reshape(-1), np.zeros(0, np.int64)
        starts = np.arange(n + 1) * d
    return Sets(read_only(values), columns, starts, sets.classes, sets.starts, d)
