"""The examples as the kernels read them: features, dense or CSR, and what is done with them, a score and a step.

An example's features are values[starts[i]:starts[i + 1]], in the given columns (CSR), or in all of them where `columns`
is empty (dense).
"""

from typing import NamedTuple

import numpy as np

from reference import contract

from .jit import inlined, inlined_sum


class Examples(NamedTuple):
    """What is given."""

    values: np.ndarray
    columns: np.ndarray
    starts: np.ndarray
    squared_norms: np.ndarray
    labels: np.ndarray
    by_inner_products: bool


def linear_examples(X, y):
    """The examples of a matrix and, if it is dense, the matrix in C order: without a copy where that is possible."""
    n, width = X.shape
    if hasattr(X, "tocsr"):
        with np.errstate(over="ignore"):  # an infinite norm is refused
            squares = X.data.astype(np.float64) ** 2
        norms = np.bincount(np.repeat(np.arange(n), np.diff(X.indptr)), squares, n)
        values, columns, starts = np.ascontiguousarray(X.data), X.indices.astype(np.int64), X.indptr.astype(np.int64)
    else:
        X = np.ascontiguousarray(np.asarray(X))
        norms = np.einsum("ij,ij->i", X, X, dtype=np.float64)
        values, columns, starts = X.reshape(-1), np.zeros(0, np.int64), np.arange(n + 1) * width
    return Examples(read_only(values), columns, starts, contract.squared_norms(norms, "X"), y, False), X


def read_only(array):
    """A view that cannot be written to: each kernel is compiled for one type of memory only."""
    view = array.view()
    view.flags.writeable = False
    return view


@inlined_sum
def dense_dot(values, weights):
    """<x, w>."""
    total = 0.0
    for e in range(len(values)):
        total += values[e] * weights[e]
    return total


@inlined_sum
def dense_add(values, weights, change):
    """w += change x."""
    for e in range(len(values)):
        weights[e] += change * values[e]


@inlined
def class_scores(examples, i, weights, classes, out):
    """<x, w> of one example and each of the classes."""
    start, end = examples.starts[i], examples.starts[i + 1]
    values = examples.values[start:end]
    if len(examples.columns) == 0:
        for c in range(len(classes)):
            out[c] = dense_dot(values, weights[classes[c]])
    else:
        columns = examples.columns[start:end]
        for c in range(len(classes)):
            w, total = weights[classes[c]], 0.0
            for e in range(len(values)):
                total += values[e] * w[columns[e]]
            out[c] = total


@inlined
def add(examples, i, weights, change):
    """w += change x."""
    start, end = examples.starts[i], examples.starts[i + 1]
    values = examples.values[start:end]
    if len(examples.columns) == 0:
        dense_add(values, weights, change)
    else:
        columns = examples.columns[start:end]
        for e in range(len(values)):
            weights[columns[e]] += change * values[e]
