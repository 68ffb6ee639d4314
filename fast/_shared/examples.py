"""A matrix as the kernels read it, dense or CSR, and the operations on its rows: a product with weights, and a sum.

`Rows` is the one type for both layouts. A kernel calls the functions below, or asks `is_dense(rows)`.
"""

from typing import NamedTuple

import numpy as np

from reference import contract

from .jit import inlined, inlined_sum

ALL_COLUMNS = np.zeros(0, np.int64)  # in place of `Rows.columns`: the rows are dense


class Rows(NamedTuple):
    """Row i is values[starts[i]:starts[i + 1]], in the columns of the same places, or in all columns if it is dense."""

    values: np.ndarray  # read-only
    columns: np.ndarray  # as long as values, or ALL_COLUMNS
    starts: np.ndarray


class Examples(NamedTuple):
    """Training examples: features, squared norms (n,), labels (n,).

    In a kernel fit, row i holds the inner products of example i with all examples, and `by_inner_products` is True.
    """

    rows: Rows
    squared_norms: np.ndarray
    labels: np.ndarray
    by_inner_products: bool


def matrix_rows(X):
    """Returns the Rows of a matrix, without a copy if it is CSR or in C order."""
    if not hasattr(X, "tocsr"):
        return Rows(read_only(np.ascontiguousarray(np.asarray(X)).reshape(-1)), ALL_COLUMNS, _starts(*X.shape))
    values, columns, starts = np.ascontiguousarray(X.data), X.indices.astype(np.int64), X.indptr.astype(np.int64)
    if len(columns) == 0:  # no entries at all: an entry that no row holds tells this from ALL_COLUMNS
        values, columns = np.zeros(1, values.dtype), np.zeros(1, np.int64)
    return Rows(read_only(values), columns, starts)


def _starts(n, width):
    return np.arange(n + 1) * width


def linear_examples(X, y):
    """Returns (the Examples of a matrix, the matrix): a dense matrix in C order, copied only if it is not."""
    if hasattr(X, "tocsr"):
        with np.errstate(over="ignore"):  # `contract.squared_norms` refuses an infinite norm
            squares = X.data.astype(np.float64) ** 2
        norms = np.bincount(np.repeat(np.arange(X.shape[0]), np.diff(X.indptr)), squares, X.shape[0])
    else:
        X = np.ascontiguousarray(np.asarray(X))
        norms = np.einsum("ij,ij->i", X, X, dtype=np.float64)
    return Examples(matrix_rows(X), contract.squared_norms(norms, "X"), y, False), X


def gram_examples(K, y):
    """Returns the Examples of a kernel fit from their inner products K (n, n), in C order."""
    norms = contract.squared_norms(K.diagonal().astype(np.float64), "K")
    return Examples(matrix_rows(K), norms, y, True)


def read_only(array):
    """Returns a read-only view. Numba compiles a kernel again for each type, and writable arrays are another type."""
    view = array.view()
    view.flags.writeable = False
    return view


@inlined
def is_dense(rows):
    """Whether each row holds all columns."""
    return len(rows.columns) == 0


@inlined_sum
def dense_dot(values, weights):
    """Returns <x, w>."""
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
def class_scores(rows, i, weights, classes, out):
    """Write <x_i, w_j> to `out` for each class j in `classes`."""
    start, end = rows.starts[i], rows.starts[i + 1]
    values = rows.values[start:end]
    if is_dense(rows):
        for c in range(len(classes)):
            out[c] = dense_dot(values, weights[classes[c]])
    else:
        columns = rows.columns[start:end]
        for c in range(len(classes)):
            w, total = weights[classes[c]], 0.0
            for e in range(len(values)):
                total += values[e] * w[columns[e]]
            out[c] = total


@inlined
def add_row(rows, i, weights, change):
    """w += change x_i."""
    start, end = rows.starts[i], rows.starts[i + 1]
    values = rows.values[start:end]
    if is_dense(rows):
        dense_add(values, weights, change)
    else:
        columns = rows.columns[start:end]
        for e in range(len(values)):
            weights[columns[e]] += change * values[e]
