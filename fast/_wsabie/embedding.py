"""The embedding W (e, d) as the kernels hold it: transposed, with a scale for each row of W.

Row j of W is scales[j] * transposed[:, j]. One feature of an example then belongs to e consecutive numbers, features
that are 0 cost nothing, and scaling a row of W down to a length is one multiplication.
"""

from typing import NamedTuple

import numpy as np

from .._shared.jit import borrowing_kernel, kernel, merged, summing_kernel
from .vectors import LARGEST_SCALE, SMALLEST_SCALE

# So many changes of W are collected and made in one pass, which reads and writes W once in place of eight times.
# `_add_all` and `_sum_late` are written out for this number.
COLLECTED = 8
# Changes of W are collected if more than this share of the entries of X are not 0. With fewer entries, one change
# touches few columns of W, and a pass over all of W takes longer.
MANY_ENTRIES = 1 / 4
SAMPLE = 64  # at most so many rows of a dense X are counted


class Embedding(NamedTuple):
    """W and its state. If there is no embedding, `transposed` has the shape (0, e).

    For examples with many entries, the last few changes of W are not yet made: change k is the outer product of
    changes[k] (e,) and the example late[:, k] (d,). To make them together reads and writes W once.
    """

    transposed: np.ndarray  # (d, e)
    scales: np.ndarray  # (e,)
    squares: np.ndarray  # (e,) the squared norms of the rows of W
    sums: np.ndarray  # (e,) adagrad's
    late: np.ndarray  # (d, COLLECTED), 0 from column waiting[0] on; or (d, 0) if changes are made at once
    changes: np.ndarray  # (COLLECTED, e), of which the first waiting[0] count
    products: np.ndarray  # (COLLECTED,), memory for the inner products of an example with those that wait
    waiting: np.ndarray  # (1,) the number of changes that wait


def as_embedding(W, sums, e, collects):
    """W (e, d), or None, for the kernels, in memory of its own. `collects`: whether changes wait for each other."""
    transposed = np.zeros((0, e)) if W is None else np.ascontiguousarray(W.T)
    sums = np.zeros(0) if W is None else sums.copy()
    late = np.zeros((len(transposed), COLLECTED if collects and len(transposed) > 1 else 0))
    return Embedding(
        transposed, np.ones(e), np.zeros(e), sums, late, np.zeros((COLLECTED, e)), np.zeros(COLLECTED),
        np.zeros(1, np.int64),
    )  # fmt: skip


def has_many_entries(X):
    """Whether so many entries of X are not 0 that changes of W are better collected."""
    if hasattr(X, "tocsr"):
        return X.nnz > MANY_ENTRIES * X.shape[0] * X.shape[1]
    sample = X[:: len(X) // SAMPLE + 1]
    return np.count_nonzero(sample) > MANY_ENTRIES * sample.size


def as_matrix(embedding):
    """W (e, d), after `make_changes`."""
    return np.ascontiguousarray((embedding.transposed * embedding.scales).T)


@borrowing_kernel
def settle_embedding(embedding):
    """Make the changes that wait, multiply the scales into W, and compute the squared norms of its rows.

    Done from time to time, so that the rounding errors of scales and squares do not accumulate for long.
    """
    make_changes(embedding)
    transposed, scales, squares = embedding.transposed, embedding.scales, embedding.squares
    for j in range(len(scales)):
        squares[j] = 0.0
    for c in range(len(transposed)):
        for j in range(len(scales)):
            transposed[c, j] *= scales[j]
            squares[j] += transposed[c, j] * transposed[c, j]
    for j in range(len(scales)):
        scales[j] = 1.0


@borrowing_kernel
def make_changes(embedding):
    """Make the changes that wait."""
    if embedding.waiting[0] > 0:
        embedding.waiting[0] = 0
        _add_all(embedding.transposed, embedding.late, embedding.changes)


@summing_kernel
def _add_all(transposed, late, changes):
    """Add all changes to W, and set `late` to 0.

    Two features are changed in one pass over the changes. If their number is odd, the last pair overlaps the one
    before: the feature that comes twice has its `late` at 0 by then.
    """
    c0, c1, c2, c3 = changes[0], changes[1], changes[2], changes[3]
    c4, c5, c6, c7 = changes[4], changes[5], changes[6], changes[7]
    for first in range(0, len(transposed), 2):
        c = min(first, len(transposed) - 2)
        a, b, x, y = transposed[c], transposed[c + 1], late[c], late[c + 1]
        x0, x1, x2, x3, x4, x5, x6, x7 = x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7]
        y0, y1, y2, y3, y4, y5, y6, y7 = y[0], y[1], y[2], y[3], y[4], y[5], y[6], y[7]
        for j in range(len(a)):
            d0, d1, d2, d3, d4, d5, d6, d7 = c0[j], c1[j], c2[j], c3[j], c4[j], c5[j], c6[j], c7[j]
            a[j] += (x0 * d0 + x1 * d1 + x2 * d2 + x3 * d3) + (x4 * d4 + x5 * d5 + x6 * d6 + x7 * d7)
            b[j] += (y0 * d0 + y1 * d1 + y2 * d2 + y3 * d3) + (y4 * d4 + y5 * d5 + y6 * d6 + y7 * d7)
        for k in range(COLLECTED):
            x[k] = y[k] = 0.0


@merged
def embed(embedding, columns, values, size, z):
    """z = W x, for the `size` entries of x."""
    _sum_columns(embedding.transposed, columns, values, size, z)
    if embedding.waiting[0] > 0:
        late, changes, products = embedding.late, embedding.changes, embedding.products
        _sum_late(late, changes, products, embedding.waiting[0], columns, values, size, z)
    scales = embedding.scales
    for j in range(len(z)):
        z[j] *= scales[j]


@summing_kernel
def _sum_columns(transposed, columns, values, size, z):
    """z = the sum of value times column of W. Eight features in one pass over z were a fifth faster than four."""
    for j in range(len(z)):
        z[j] = 0.0
    whole = size - size % 8
    for i in range(0, whole, 8):
        c0, c1, c2, c3 = columns[i], columns[i + 1], columns[i + 2], columns[i + 3]
        c4, c5, c6, c7 = columns[i + 4], columns[i + 5], columns[i + 6], columns[i + 7]
        a0, a1, a2, a3 = transposed[c0], transposed[c1], transposed[c2], transposed[c3]
        a4, a5, a6, a7 = transposed[c4], transposed[c5], transposed[c6], transposed[c7]
        v0, v1, v2, v3 = values[i], values[i + 1], values[i + 2], values[i + 3]
        v4, v5, v6, v7 = values[i + 4], values[i + 5], values[i + 6], values[i + 7]
        for j in range(len(z)):
            z[j] += (v0 * a0[j] + v1 * a1[j] + v2 * a2[j] + v3 * a3[j]) + (
                v4 * a4[j] + v5 * a5[j] + v6 * a6[j] + v7 * a7[j]
            )
    for i in range(whole, size):
        a0, v0 = transposed[columns[i]], values[i]
        for j in range(len(z)):
            z[j] += v0 * a0[j]


@summing_kernel
def _sum_late(late, changes, products, waiting, columns, values, size, z):
    """Add to z what the changes that wait contribute: each its e numbers times <its example, x>."""
    p0 = p1 = p2 = p3 = p4 = p5 = p6 = p7 = 0.0
    for i in range(size):
        x, v = late[columns[i]], values[i]
        p0, p1, p2, p3 = p0 + v * x[0], p1 + v * x[1], p2 + v * x[2], p3 + v * x[3]
        p4, p5, p6, p7 = p4 + v * x[4], p5 + v * x[5], p6 + v * x[6], p7 + v * x[7]
    products[0], products[1], products[2], products[3] = p0, p1, p2, p3
    products[4], products[5], products[6], products[7] = p4, p5, p6, p7
    for k in range(waiting):
        for j in range(len(z)):
            z[j] += products[k] * changes[k, j]


@merged
def change_embedding(embedding, columns, values, size, length, z, steps, max_norm):
    """W += steps x', then scale rows longer than max_norm down to it.

    |x| = length, and W x = z before the change. Overwrites `steps`.
    """
    lost = 0 if max_norm == np.inf else _scale_down(embedding.scales, embedding.squares, length, z, steps, max_norm)
    # A change waits only if its inner products with the next examples stay within the range of floats.
    if embedding.late.shape[1] == 0 or not SMALLEST_SCALE < length < LARGEST_SCALE:
        _add(embedding.transposed, columns, values, size, steps)
    else:
        _collect(embedding.late, embedding.changes, embedding.waiting[0], columns, values, size, steps)
        embedding.waiting[0] += 1
        if embedding.waiting[0] == COLLECTED:
            make_changes(embedding)
    if lost > 0:
        settle_embedding(embedding)


@summing_kernel
def _scale_down(scales, squares, length, z, steps, max_norm):
    """Update squares and scales for W += steps x' and the bound max_norm, and divide steps by the old scales.

    Returns the number of scales that are too small to go on with.
    """
    lost = 0
    for j in range(len(steps)):  # written without branches: half of the rows would take them
        along = steps[j] * length
        new = squares[j] + 2 * steps[j] * z[j] + along * along
        steps[j] /= scales[j]
        norm = np.sqrt(new)
        factor = max_norm / norm + (norm - norm)  # NaN if the norm overflows: the fit that holds it is refused
        longer = norm > max_norm
        scales[j] *= factor if longer else 1.0
        squares[j] = max_norm * max_norm if longer else new
        lost += 0 if scales[j] > SMALLEST_SCALE else 1
    return lost


@summing_kernel
def _add(transposed, columns, values, size, steps):
    for i in range(size):
        column, value = transposed[columns[i]], values[i]
        for j in range(len(steps)):
            column[j] += value * steps[j]


@kernel
def _collect(late, changes, k, columns, values, size, steps):
    for i in range(size):
        late[columns[i], k] = values[i]
    for j in range(len(steps)):
        changes[k, j] = steps[j]


@summing_kernel
def embedding_steps(sums, rows, positive, negative, slope, length, d, step_size, adagrad, steps):
    """Write `steps` (e,), with which W moves by steps x'. The gradient is slope (b_negative - b_positive) x'.

    |x| = length. Adagrad's 0 / 0 is 0.
    """
    for j in range(len(steps)):
        steps[j] = slope * (rows[negative, j] - rows[positive, j])
    if not adagrad:
        for j in range(len(steps)):
            steps[j] *= -step_size
        return
    for j in range(len(steps)):
        along = steps[j] * length
        total = sums[j] + along * along / d
        row_step_size = step_size / np.sqrt(total)
        steps[j] *= -row_step_size if total > 0 else 0.0
        sums[j] = total
