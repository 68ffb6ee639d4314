"""The prototypes (m, e) as the kernels hold them: their scores for an example, and the steps of one of them.

With a dense example z, prototype g is rows[g]. With a sparse one it is scales[g] * rows[g], and its squared norm is
kept: a step towards x multiplies all of the prototype, which is then one multiplication, and a score needs no more than
the entries of x.
"""

from typing import NamedTuple

import numpy as np

from .._shared.jit import inlined, inlined_sum, kernel

TINY, HUGE = 1e-100, 1e100  # between them a scale may stay one; their squares are floats
CANCELLED = 1e-4  # what is left of a difference, relative to its terms, before it is computed in another way


class Prototypes(NamedTuple):
    """Rows, and adagrad's sums; without scales (0,) the rows are the prototypes."""

    rows: np.ndarray  # (m, e)
    sums: np.ndarray  # (m,)
    scales: np.ndarray  # (m,) or (0,)
    squares: np.ndarray  # (m,) or (0,)


class Point(NamedTuple):
    """An example: as a dense z, or its entries that are not 0 (the first few of the memory, in ascending places)."""

    z: np.ndarray
    places: np.ndarray
    values: np.ndarray


def as_prototypes(rows, sums, sparse):
    """Prototypes (m, e) for the kernels, which have them to themselves."""
    m = len(rows) if sparse else 0
    return Prototypes(np.array(rows, order="C"), sums.copy(), np.ones(m), np.zeros(m))


def as_rows(prototypes):
    """Prototypes (m, e), as the kernels have left them."""
    return prototypes.rows * prototypes.scales[:, None] if len(prototypes.scales) else prototypes.rows


@inlined_sum
def square(a):
    """|a|^2."""
    total = 0.0
    for j in range(len(a)):
        total += a[j] * a[j]
    return total


@inlined_sum
def dot(rows, g, z):
    """<b_g, z>; a row is read where it lies, since a view of it takes as long as half of the sum."""
    total = 0.0
    for j in range(len(z)):
        total += rows[g, j] * z[j]
    return total


@inlined_sum
def distance(rows, g, z):
    """|b_g - z|^2."""
    total = 0.0
    for j in range(len(z)):
        apart = rows[g, j] - z[j]
        total += apart * apart
    return total


@inlined_sum
def _sparse_dot(row, places, values, size):
    total = 0.0
    for i in range(size):
        total += row[places[i]] * values[i]
    return total


@kernel
def score(prototypes, g, point, size, squared, euclidean):
    """f_g = <b_g, x> or -|b_g - x|^2, for x of `size` entries and the given squared norm."""
    if len(prototypes.scales) > 0:
        return _sparse_score(prototypes, g, point.places, point.values, size, squared, euclidean)
    return -distance(prototypes.rows, g, point.z) if euclidean else dot(prototypes.rows, g, point.z)


@kernel
def first_violator(prototypes, classes, count, margin, point, size, squared, euclidean):
    """The place, from 1 to count, of the first class that violates the margin of classes[0]; count + 1 if none does.

    -1 if a difference is not finite. All scores come out of one loop: in another, the same sum may be rounded
    otherwise, and equal prototypes would not tie.
    """
    lead = 0.0
    if len(prototypes.scales) > 0:
        for i in range(count + 1):
            found = _sparse_score(prototypes, classes[i], point.places, point.values, size, squared, euclidean)
            difference = lead + found
            if i == 0:
                lead = margin - found
            elif difference > 0 or difference - difference != 0:
                return i if difference - difference == 0 else -1
        return count + 1
    # A loop of its own: a call in it would count references to all that it is given, which takes longer than a score.
    rows, z = prototypes.rows, point.z
    for i in range(count + 1):
        found = -distance(rows, classes[i], z) if euclidean else dot(rows, classes[i], z)
        difference = lead + found
        if i == 0:
            lead = margin - found
        elif difference > 0 or difference - difference != 0:
            return i if difference - difference == 0 else -1
    return count + 1


@kernel
def _sparse_score(prototypes, g, places, values, size, squared, euclidean):
    row = prototypes.rows[g]
    inner = prototypes.scales[g] * _sparse_dot(row, places, values, size)
    if not euclidean:
        return inner
    terms = prototypes.squares[g] + squared
    apart = terms - 2 * inner
    if apart < CANCELLED * terms:
        return -sparse_distance(row, prototypes.scales[g], places, values, size)
    return -apart


@kernel
def sparse_distance(row, scale, places, values, size):
    """|scale row - x|^2, in O(d): for where 2 <b, x> and the squares cancel."""
    total, i = 0.0, 0
    for j in range(len(row)):
        apart = scale * row[j]
        if i < size and places[i] == j:
            apart -= values[i]
            i += 1
        total += apart * apart
    return total


@kernel
def settle_row(prototypes, g):
    """Multiply the scale into the prototype, and measure it."""
    row, scale = prototypes.rows[g], prototypes.scales[g]
    for j in range(len(row)):
        row[j] *= scale
    prototypes.scales[g] = 1.0
    prototypes.squares[g] = square(row)


@kernel
def settle_rows(prototypes):
    """The same for all, so that no rounding is carried on for long."""
    for g in range(len(prototypes.scales)):
        settle_row(prototypes, g)


@inlined
def rate(sums, g, squared_gradient, step_size, adagrad):
    """The step size of row g, whose gradient has this mean square; 0 / 0 is 0."""
    if not adagrad:
        return step_size
    sums[g] += squared_gradient
    return step_size / np.sqrt(sums[g]) if sums[g] > 0 else 0.0


@kernel
def move(prototypes, g, share, pull, point, size, squared, max_norm):
    """b_g <- b_g + share (x - pull b_g), and back into the ball."""
    row = prototypes.rows[g]
    if len(prototypes.scales) > 0:
        _move_sparse(prototypes, g, 1.0 - share * pull, share, point, size, squared, max_norm)
    else:
        length = np.sqrt(_mix(row, share, pull, point.z))
        if length > max_norm:
            share = _share(length, max_norm)
            for j in range(len(row)):
                row[j] *= share


@inlined
def _share(length, max_norm):
    """What is left of a row that is cut: NaN, which is refused in the end, if its length is out of range."""
    return max_norm / length if length < np.inf else np.nan


@inlined_sum
def _mix(row, share, pull, z):
    total = 0.0
    for j in range(len(row)):
        row[j] += share * (z[j] - pull * row[j])
        total += row[j] * row[j]
    return total


@inlined
def _move_sparse(prototypes, g, factor, share, point, size, squared, max_norm):
    row, scales, squares, places, values = prototypes[0][g], prototypes[2], prototypes[3], point.places, point.values
    inner = scales[g] * _sparse_dot(row, places, values, size)
    kept, cross, added = factor * factor * squares[g], 2 * factor * share * inner, share * share * squared
    scales[g] *= factor
    _fold(prototypes, g)
    for i in range(size):
        row[places[i]] += share / scales[g] * values[i]
    squares[g] = kept + cross + added
    if not squares[g] > CANCELLED * (kept + abs(cross) + added):
        squares[g] = scales[g] * scales[g] * square(row)
    if np.sqrt(squares[g]) > max_norm:
        scales[g] *= _share(np.sqrt(squares[g]), max_norm)
        squares[g] = max_norm * max_norm
        _fold(prototypes, g)


@inlined
def _fold(prototypes, g):
    if not TINY < abs(prototypes.scales[g]) < HUGE:
        settle_row(prototypes, g)
