"""The prototypes (m, e) as the kernels hold them: their scores for an example, and a step of one of them.

For dense points, prototype g is rows[g]. For sparse examples it is scales[g] * rows[g], and its squared norm is kept.
A step towards a sparse x multiplies the whole prototype by a number and adds a multiple of x. With a scale, the
multiplication is one operation, so that the step and the score only read the entries of x.
"""

from typing import NamedTuple

import numpy as np

from .._shared.jit import borrowing_kernel, inlined, inlined_sum, merged
from .outcomes import NO_VIOLATOR, NOT_FINITE, NOT_KEPT
from .vectors import (
    LARGEST_SCALE,
    RECOMPUTED_IN_WALKS,
    SMALLEST_SCALE,
    row_dot,
    row_squared_distance,
    sparse_dot,
    sparse_squared_distance,
    squared_norm,
)


class Prototypes(NamedTuple):
    """Rows and adagrad's sums. Prototypes for dense points have no scales: these are empty, and so are the squares."""

    rows: np.ndarray  # (m, e)
    sums: np.ndarray  # (m,)
    scales: np.ndarray  # (m,) or (0,)
    squares: np.ndarray  # (m,) or (0,), the squared norms of the prototypes


class RowLog(NamedTuple):
    """Prototypes as they were before their first move in a batch, to undo it. Both arrays are empty if it is not kept.

    With scales, what is kept of a prototype is its row alone.
    """

    rows: np.ndarray  # (c, e)
    places: np.ndarray  # (m + 1,) where each prototype is in `rows`, or NOT_KEPT; then how many there are


class Point(NamedTuple):
    """Memory for one example, as dense z or by its entries. A kernel is told how many of the entries count."""

    z: np.ndarray
    columns: np.ndarray  # ascending
    values: np.ndarray


def as_prototypes(rows, sums, sparse):
    """Prototypes (m, e) for the kernels, in memory of their own."""
    m = len(rows) if sparse else 0
    return Prototypes(np.array(rows, order="C"), sums.copy(), np.ones(m), np.zeros(m))


def row_log(m, e, moves):
    """A log of prototypes (m, e) for so many moves. The memory of rows that are not written is never touched."""
    places = np.full(m + 1, NOT_KEPT)
    places[m] = 0
    return RowLog(np.empty((min(moves, m), e)), places)


def no_log():
    """For a walk that is not undone."""
    return RowLog(np.empty((0, 0)), np.empty(0, np.int64))


@borrowing_kernel
def keep_row(log, rows, g):
    """Keep prototype g, unless the log holds it."""
    m = len(log.places) - 1
    place = log.places[m]
    if log.places[g] == NOT_KEPT:
        kept, row = log.rows[place], rows[g]
        for j in range(len(row)):
            kept[j] = row[j]
        log.places[g], log.places[m] = place, place + 1


def as_rows(prototypes):
    """Prototypes (m, e), with the scales multiplied in."""
    return prototypes.rows * prototypes.scales[:, None] if len(prototypes.scales) else prototypes.rows


@borrowing_kernel
def prototype_score(prototypes, g, point, size, squared, euclidean):
    """f_g = <b_g, x> or -|b_g - x|^2. A sparse x has `size` entries and the squared norm `squared`."""
    if len(prototypes.scales) > 0:
        return _sparse_score(prototypes, g, point.columns, point.values, size, squared, euclidean)
    return -row_squared_distance(prototypes.rows, g, point.z) if euclidean else row_dot(prototypes.rows, g, point.z)


@borrowing_kernel
def first_violator(prototypes, classes, count, margin, point, size, squared, euclidean):
    """The first i in 1..count for which classes[i] violates the margin of classes[0].

    Returns i, NO_VIOLATOR, or NOT_FINITE if a difference of scores before the first violator is not finite. All scores
    are computed in one loop. Another loop may round the same sum differently, and equal prototypes would not tie.
    """
    offset = 0.0
    if len(prototypes.scales) > 0:
        for i in range(count + 1):
            score = _sparse_score(prototypes, classes[i], point.columns, point.values, size, squared, euclidean)
            difference = offset + score
            if i == 0:
                offset = margin - score
            elif difference > 0 or difference - difference != 0:
                return i if difference - difference == 0 else NOT_FINITE
        return NO_VIOLATOR
    # The loop is repeated here, without a call: a call counts references to its arguments, which takes longer than a
    # dense score.
    rows, z = prototypes.rows, point.z
    for i in range(count + 1):
        score = -row_squared_distance(rows, classes[i], z) if euclidean else row_dot(rows, classes[i], z)
        difference = offset + score
        if i == 0:
            offset = margin - score
        elif difference > 0 or difference - difference != 0:
            return i if difference - difference == 0 else NOT_FINITE
    return NO_VIOLATOR


@borrowing_kernel
def _sparse_score(prototypes, g, columns, values, size, squared, euclidean):
    row = prototypes.rows[g]
    inner = prototypes.scales[g] * sparse_dot(row, columns, values, size)
    if not euclidean:
        return inner
    terms = prototypes.squares[g] + squared
    distance = terms - 2 * inner
    if distance < RECOMPUTED_IN_WALKS * terms:
        return -sparse_squared_distance(row, prototypes.scales[g], columns, values, size)
    return -distance


@borrowing_kernel
def settle_prototype(prototypes, g):
    """Multiply the scale into the prototype, and compute its squared norm."""
    row, scale = prototypes.rows[g], prototypes.scales[g]
    for j in range(len(row)):
        row[j] *= scale
    prototypes.scales[g] = 1.0
    prototypes.squares[g] = squared_norm(row)


@borrowing_kernel
def settle_prototypes(prototypes, classes):
    """Settle these prototypes, so that rounding errors of scales and squares do not accumulate for long."""
    for g in classes:
        settle_prototype(prototypes, g)


@inlined
def row_step_size(sums, g, mean_square, step_size, adagrad):
    """The step size of row g, for a gradient whose mean square is given. Adagrad's 0 / 0 is 0."""
    if not adagrad:
        return step_size
    sums[g] += mean_square
    return step_size / np.sqrt(sums[g]) if sums[g] > 0 else 0.0


@merged
def move_prototype(prototypes, g, step, pull, point, size, squared, max_norm):
    """b_g <- b_g + step (x - pull b_g), scaled down to length max_norm if it is longer."""
    row = prototypes.rows[g]
    if len(prototypes.scales) > 0:
        _move_sparse(prototypes, g, 1.0 - step * pull, step, point, size, squared, max_norm)
    else:
        length = np.sqrt(_add_and_measure(row, step, pull, point.z))
        if length > max_norm:
            factor = _ball_factor(length, max_norm)
            for j in range(len(row)):
                row[j] *= factor


@inlined
def _ball_factor(length, max_norm):
    """max_norm / length, or NaN if the length overflows: the fit that holds the NaN is refused."""
    return max_norm / length if length < np.inf else np.nan


@inlined_sum
def _add_and_measure(row, step, pull, z):
    """Add step (z - pull row) to the row. Returns its squared norm."""
    total = 0.0
    for j in range(len(row)):
        row[j] += step * (z[j] - pull * row[j])
        total += row[j] * row[j]
    return total


@borrowing_kernel
def _move_sparse(prototypes, g, factor, step, point, size, squared, max_norm):
    """b_g <- factor b_g + step x, scaled down to length max_norm if it is longer."""
    row, scales, squares = prototypes.rows[g], prototypes.scales, prototypes.squares
    columns, values = point.columns, point.values
    inner = scales[g] * sparse_dot(row, columns, values, size)
    kept, cross, added = factor * factor * squares[g], 2 * factor * step * inner, step * step * squared
    scales[g] *= factor
    _keep_scale_in_range(prototypes, g)
    for i in range(size):
        row[columns[i]] += step / scales[g] * values[i]
    squares[g] = kept + cross + added
    if not squares[g] > RECOMPUTED_IN_WALKS * (kept + abs(cross) + added):
        squares[g] = scales[g] * scales[g] * squared_norm(row)
    if np.sqrt(squares[g]) > max_norm:
        scales[g] *= _ball_factor(np.sqrt(squares[g]), max_norm)
        squares[g] = max_norm * max_norm
        _keep_scale_in_range(prototypes, g)


@inlined
def _keep_scale_in_range(prototypes, g):
    if not SMALLEST_SCALE < abs(prototypes.scales[g]) < LARGEST_SCALE:
        settle_prototype(prototypes, g)
