"""A matrix as the kernels read it, dense or CSR, and the operations on its rows: a product with weights, and a sum.

`Rows` is the one type for both layouts. A kernel calls the functions below, or asks `is_dense(rows)`.
"""

from typing import NamedTuple

import numpy as np

from reference.problems import checks

from .jit import borrowing_inlined, borrowing_kernel, inlined, inlined_sum

ALL_COLUMNS = np.frombuffer(b"", np.int32)  # in place of `Rows.columns`, and read-only, too: the rows are dense
LARGEST_COLUMN = np.iinfo(np.int32).max
# With many features, most of the time of a CSR row goes into waiting for its weights. The weights of so many entries
# are read together, so that one does not wait for the other.
TOGETHER = 4
ENTRIES_AT_A_TIME = 2**20  # 8 MB: their squares need not be in memory at once


class Rows(NamedTuple):
    """Row i is values[starts[i]:starts[i + 1]], in the columns of the same places, or in all columns if it is dense."""

    values: np.ndarray  # read-only
    columns: np.ndarray  # read-only, as long as values, or ALL_COLUMNS
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
    """Returns the Rows of a matrix, without a copy if it is in C order, or CSR with columns of 32 bits."""
    if not hasattr(X, "tocsr"):
        return Rows(read_only(np.ascontiguousarray(np.asarray(X)).reshape(-1)), ALL_COLUMNS, _starts(*X.shape))
    dtype = np.int32 if X.shape[1] <= LARGEST_COLUMN else np.int64
    values, columns = np.ascontiguousarray(X.data), np.ascontiguousarray(X.indices, dtype)
    if len(columns) == 0:  # no entries at all: an entry that no row holds tells this from ALL_COLUMNS
        values, columns = np.zeros(1, values.dtype), np.zeros(1, dtype)
    return Rows(read_only(values), read_only(columns), X.indptr.astype(np.int64))


def _starts(n, width):
    return np.arange(n + 1) * width


def linear_examples(X, y):
    """Returns (the Examples of a matrix, the matrix): a dense matrix in C order, copied only if it is not."""
    if hasattr(X, "tocsr"):
        norms = _sparse_norms(X)
    else:
        X = np.ascontiguousarray(np.asarray(X))
        norms = np.einsum("ij,ij->i", X, X, dtype=np.float64)
    return Examples(matrix_rows(X), checks.squared_norms(norms, "X"), y, False), X


def _sparse_norms(X):
    """Returns the squared norms (n,) of the rows of a CSR matrix, each summed in the order of its columns."""
    norms, n = np.empty(X.shape[0]), X.shape[0]
    size = max(ENTRIES_AT_A_TIME * n // max(len(X.data), 1), 1)
    for first in range(0, n, size):
        starts = X.indptr[first : first + size + 1]
        counts = np.diff(starts)
        with np.errstate(over="ignore"):  # `checks.squared_norms` refuses an infinite norm
            squares = X.data[starts[0] : starts[-1]].astype(np.float64) ** 2
        norms[first : first + size] = np.bincount(np.repeat(np.arange(len(counts)), counts), squares, len(counts))
    return norms


def gram_examples(K, y):
    """Returns the Examples of a kernel fit from their inner products K (n, n), in C order."""
    norms = checks.squared_norms(K.diagonal().astype(np.float64), "K")
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
def _dense_scores(values, weights, classes, out):
    """Write <x, w_j> to `out` for each class j in `classes`, given the weights (m, d)."""
    for c in range(len(classes)):
        out[c] = dense_dot(values, weights[classes[c]])


@inlined
def class_scores(rows, i, weights, classes, out):
    """Write <x_i, w_j> to `out` for each class j in `classes`, given the weights (m, d)."""
    start, end = rows.starts[i], rows.starts[i + 1]
    values = rows.values[start:end]
    if is_dense(rows):
        _dense_scores(values, weights, classes, out)
    else:
        columns = rows.columns[start:end]
        for c in range(len(classes)):
            w, total = weights[classes[c]], 0.0
            for e in range(len(values)):
                total += values[e] * w[columns[e]]
            out[c] = total


@borrowing_inlined
def listed_scores(rows, i, weights, classes, out):
    """Do the same, but with weights (d, m) if the rows are CSR: the classes of a feature are side by side in memory."""
    start, end = rows.starts[i], rows.starts[i + 1]
    values = rows.values[start:end]
    if is_dense(rows):
        _dense_scores(values, weights, classes, out)
    else:
        for c in range(len(classes)):
            out[c] = 0.0
        _add_listed_scores(values, rows.columns[start:end], weights, classes, out)


@borrowing_inlined
def _add_listed_scores(values, columns, weights, classes, out):
    """out[c] += <x, w_j> for each class j = classes[c]."""
    last = len(values) - len(values) % TOGETHER
    for e in range(0, last, TOGETHER):
        x0, x1, x2, x3 = values[e], values[e + 1], values[e + 2], values[e + 3]
        w0, w1 = weights[columns[e]], weights[columns[e + 1]]
        w2, w3 = weights[columns[e + 2]], weights[columns[e + 3]]
        for c in range(len(classes)):
            j = classes[c]
            out[c] += (x0 * w0[j] + x1 * w1[j]) + (x2 * w2[j] + x3 * w3[j])
    for e in range(last, len(values)):
        x, w = values[e], weights[columns[e]]
        for c in range(len(classes)):
            out[c] += x * w[classes[c]]


@borrowing_inlined
def add_to_listed(rows, i, weights, classes, changes, size):
    """w_j += change x_i for the first `size` classes j, each with its change, in the layout of `listed_scores`."""
    start, end = rows.starts[i], rows.starts[i + 1]
    values = rows.values[start:end]
    if is_dense(rows):
        for c in range(size):
            if changes[c] != 0:
                dense_add(values, weights[classes[c]], changes[c])
    else:
        columns = rows.columns[start:end]
        for e in range(len(values)):
            x, w = values[e], weights[columns[e]]
            for c in range(size):
                w[classes[c]] += changes[c] * x


def row_products(X, weights):
    """Returns a function of (first, last) that returns these rows of X W, for a matrix X and the weights W' (m, d).

    Several threads may call it at the same time.
    """
    if not hasattr(X, "tocsr"):
        return lambda first, last: X[first:last] @ weights.T
    by_features, rows = np.ascontiguousarray(weights.T), matrix_rows(X)

    def products(first, last):
        if last - first == X.shape[0]:  # for a few rows, a kernel would take longer to load
            return np.asarray(X @ by_features)
        found = np.empty((last - first, len(weights)), np.result_type(X.dtype, weights.dtype))
        write_products(rows, first, by_features, found)
        return found

    return products


@borrowing_kernel
def write_products(rows, first, weights, out):
    """Write the products of the rows first, first + 1, ... with the weights (d, m) to `out`. The rows are CSR.

    SciPy's product computes the same, but no other thread of Python runs meanwhile.
    """
    for p in range(len(out)):
        start, end = rows.starts[first + p], rows.starts[first + p + 1]
        out[p] = 0
        add_products(rows.values[start:end], rows.columns[start:end], weights, out[p])


@borrowing_inlined
def add_products(values, columns, weights, out):
    """out[j] += <x, w_j> for each class j, given the weights (d, m)."""
    last = len(values) - len(values) % TOGETHER
    for e in range(0, last, TOGETHER):
        x0, x1, x2, x3 = values[e], values[e + 1], values[e + 2], values[e + 3]
        w0, w1 = weights[columns[e]], weights[columns[e + 1]]
        w2, w3 = weights[columns[e + 2]], weights[columns[e + 3]]
        for j in range(len(out)):
            out[j] += (x0 * w0[j] + x1 * w1[j]) + (x2 * w2[j] + x3 * w3[j])
    for e in range(last, len(values)):
        x, w = values[e], weights[columns[e]]
        for j in range(len(out)):
            out[j] += x * w[j]


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
