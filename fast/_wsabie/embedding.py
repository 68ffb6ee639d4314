"""The embedding W (e, d) as its kernels hold it: transposed, with a scale for each row of W.

Row j of W is scales[j] * columns[:, j]. A feature of an example is then one stretch of memory of length e, zeros are
passed over, and cutting a row of W to a length is one multiplication.
"""

from typing import NamedTuple

import numpy as np

from .._shared.jit import inlined, kernel, summing_kernel

LATE = 8  # changes of W that wait for each other
TINY = 1e-100  # a scale below that is multiplied into its row, long before it is lost
HUGE = 1e100


class Embedding(NamedTuple):
    """W and what is known of its rows; without columns (0, e) there is none.

    Where examples have many entries, the last few changes are not yet made in the columns, since these have to be
    read and written for each of them, or once for all: change k is changes[k] times the example late[:, k].
    """

    columns: np.ndarray  # (d, e)
    scales: np.ndarray  # (e,)
    squares: np.ndarray  # (e,) the squared norms of the rows of W
    sums: np.ndarray  # (e,) adagrad's
    late: np.ndarray  # (d, LATE), 0 beyond the first `waiting`; or (d, 0)
    changes: np.ndarray  # (LATE, e), the same
    waiting: np.ndarray  # (1,)


def as_embedding(W, sums, e, dense):
    """W (e, d), or None, for the kernels, and examples that are mostly not 0, or mostly 0."""
    columns = np.zeros((0, e)) if W is None else np.ascontiguousarray(W.T)
    sums = np.zeros(0) if W is None else sums.copy()
    late = np.zeros((len(columns), LATE if dense and len(columns) > 1 else 0))
    return Embedding(columns, np.ones(e), np.zeros(e), sums, late, np.zeros((LATE, e)), np.zeros(1, np.int64))


def as_matrix(embedding):
    """W (e, d), as the kernels have left it."""
    return np.ascontiguousarray((embedding.columns * embedding.scales).T)


@kernel
def settle(embedding):
    """Multiply the scales into W and measure its rows, so that no rounding is carried on for long."""
    catch_up(embedding)
    columns, scales, squares = embedding.columns, embedding.scales, embedding.squares
    for j in range(len(scales)):
        squares[j] = 0.0
    for c in range(len(columns)):
        for j in range(len(scales)):
            columns[c, j] *= scales[j]
            squares[j] += columns[c, j] * columns[c, j]
    for j in range(len(scales)):
        scales[j] = 1.0


@kernel
def catch_up(embedding):
    """Make the changes that wait."""
    if embedding.waiting[0] > 0:
        embedding.waiting[0] = 0
        _add_all(embedding.columns, embedding.late, embedding.changes)


@summing_kernel
def _add_all(columns, late, changes):
    """Two features at a time, which share what is read of the changes; the last but one may come again, with zeros."""
    c0, c1, c2, c3 = changes[0], changes[1], changes[2], changes[3]
    c4, c5, c6, c7 = changes[4], changes[5], changes[6], changes[7]
    for first in range(0, len(columns), 2):
        c = min(first, len(columns) - 2)
        a, b, x, y = columns[c], columns[c + 1], late[c], late[c + 1]
        x0, x1, x2, x3, x4, x5, x6, x7 = x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7]
        y0, y1, y2, y3, y4, y5, y6, y7 = y[0], y[1], y[2], y[3], y[4], y[5], y[6], y[7]
        for j in range(len(a)):
            d0, d1, d2, d3, d4, d5, d6, d7 = c0[j], c1[j], c2[j], c3[j], c4[j], c5[j], c6[j], c7[j]
            a[j] += (x0 * d0 + x1 * d1 + x2 * d2 + x3 * d3) + (x4 * d4 + x5 * d5 + x6 * d6 + x7 * d7)
            b[j] += (y0 * d0 + y1 * d1 + y2 * d2 + y3 * d3) + (y4 * d4 + y5 * d5 + y6 * d6 + y7 * d7)
        for k in range(LATE):
            x[k] = y[k] = 0.0


@kernel
def project(embedding, places, values, size, z):
    """z = W x."""
    _sum_columns(embedding.columns, places, values, size, z)
    if embedding.waiting[0] > 0:
        _sum_late(embedding.late, embedding.changes, embedding.waiting[0], places, values, size, z)
    scales = embedding.scales
    for j in range(len(z)):
        z[j] *= scales[j]


@summing_kernel
def _sum_columns(columns, places, values, size, z):
    """Eight features in one pass over z: a fifth faster than four."""
    for j in range(len(z)):
        z[j] = 0.0
    whole = size - size % 8
    for i in range(0, whole, 8):
        a0, a1, a2, a3 = columns[places[i]], columns[places[i + 1]], columns[places[i + 2]], columns[places[i + 3]]
        a4, a5, a6, a7 = columns[places[i + 4]], columns[places[i + 5]], columns[places[i + 6]], columns[places[i + 7]]
        v0, v1, v2, v3 = values[i], values[i + 1], values[i + 2], values[i + 3]
        v4, v5, v6, v7 = values[i + 4], values[i + 5], values[i + 6], values[i + 7]
        for j in range(len(z)):
            z[j] += (v0 * a0[j] + v1 * a1[j] + v2 * a2[j] + v3 * a3[j]) + (
                v4 * a4[j] + v5 * a5[j] + v6 * a6[j] + v7 * a7[j]
            )
    for i in range(whole, size):
        a0, v0 = columns[places[i]], values[i]
        for j in range(len(z)):
            z[j] += v0 * a0[j]


@summing_kernel
def _sum_late(late, changes, waiting, places, values, size, z):
    """What the changes that wait add to z: each by the inner product of its example and this one."""
    p0 = p1 = p2 = p3 = p4 = p5 = p6 = p7 = 0.0
    for i in range(size):
        x, v = late[places[i]], values[i]
        p0, p1, p2, p3 = p0 + v * x[0], p1 + v * x[1], p2 + v * x[2], p3 + v * x[3]
        p4, p5, p6, p7 = p4 + v * x[4], p5 + v * x[5], p6 + v * x[6], p7 + v * x[7]
    products = (p0, p1, p2, p3, p4, p5, p6, p7)
    for k in range(waiting):
        for j in range(len(z)):
            z[j] += products[k] * changes[k, j]


@kernel
def change(embedding, places, values, size, length, z, steps, max_norm):
    """W += steps x', where |x| = length and W x was z; then rows longer than max_norm are cut. `steps` is used up."""
    lost = 0 if max_norm == np.inf else _cut(embedding.scales, embedding.squares, length, z, steps, max_norm)
    # The products of what waits and the examples to come have to stay in range.
    if embedding.late.shape[1] == 0 or not TINY < length < HUGE:
        _add(embedding.columns, places, values, size, steps)
    else:
        _wait(embedding.late, embedding.changes, embedding.waiting[0], places, values, size, steps)
        embedding.waiting[0] += 1
        if embedding.waiting[0] == LATE:
            catch_up(embedding)
    if lost > 0:
        settle(embedding)


@summing_kernel
def _cut(scales, squares, length, z, steps, max_norm):
    """New squares and scales, and steps in units of the old scales; how many scales are (almost) lost."""
    lost = 0
    for j in range(len(steps)):  # without branches, which half of the rows would take
        along = steps[j] * length
        new = squares[j] + 2 * steps[j] * z[j] + along * along
        steps[j] /= scales[j]
        norm = np.sqrt(new)
        share = max_norm / norm + (norm - norm)  # NaN, which is refused, if the norm is out of range
        longer = norm > max_norm
        scales[j] *= share if longer else 1.0
        squares[j] = max_norm * max_norm if longer else new
        lost += 0 if scales[j] > TINY else 1
    return lost


@summing_kernel
def _add(columns, places, values, size, steps):
    for i in range(size):
        column, value = columns[places[i]], values[i]
        for j in range(len(steps)):
            column[j] += value * steps[j]


@inlined
def _wait(late, changes, k, places, values, size, steps):
    for i in range(size):
        late[places[i], k] = values[i]
    for j in range(len(steps)):
        changes[k, j] = steps[j]


@summing_kernel
def descend(sums, rows, positive, negative, slope, length, d, step_size, adagrad, steps):
    """The steps of the rows of W: their gradients are slope (b_negative - b_positive) x', and |x| = length."""
    for j in range(len(steps)):
        steps[j] = slope * (rows[negative, j] - rows[positive, j])
    if not adagrad:
        for j in range(len(steps)):
            steps[j] *= -step_size
        return
    for j in range(len(steps)):
        along = steps[j] * length
        total = sums[j] + along * along / d
        rate = step_size / np.sqrt(total)
        steps[j] *= -rate if total > 0 else 0.0  # 0 / 0 is 0
        sums[j] = total
