"""Which kernels a call needs: one short point, short rows or long rows; and how they are spread over threads."""

from typing import Any, NamedTuple

import numpy as np

from reference.problems import checks

from .._shared.bits import bits_of
from .._shared.examples import read_only
from .._shared.threads import for_each, ranges, threads
from .bipartite import bipartite_long_rows, bipartite_rows
from .candidates import LONG_ROW, NOT_SPLIT, block_size, number_of_blocks, write_clipped, write_maxima

# Coordinates that are projected by one call of a kernel: a megabyte, which fits into the cache of a core. The first row
# of each piece starts without a guess, whatever the number of threads, so that they do not change the answer.
PIECE = 1 << 17
PER_THREAD = 1 << 19  # coordinates of one long row, at least, for each thread: fewer are read before a thread starts
PARTS_PER_THREAD = 4  # of one long row. The parts do not change the answer, and a few of them balance the threads
WRITTEN_PARTS = 8  # of the answer for one long row
FLOAT64 = np.dtype(np.float64)


class Kernels(NamedTuple):
    """The kernels of one set: for a short point in place, short rows, long rows, and one long row with known maxima."""

    point: Any
    rows: Any
    long_rows: Any
    of_maxima: Any


def project(kernels, a, largest, problem, n_jobs):
    """Project a point or each row of a matrix. The kernels need at most so many of the largest coordinates of a row."""
    if a.ndim == 1 and a.size < LONG_ROW:
        x, in_range = on_a_copy(kernels.point, a, problem)
    else:
        size = block_size(a.shape[-1], largest)
        if size == NOT_SPLIT:
            return project_rows(kernels.rows, a, problem, n_jobs)
        x, in_range = _project_long(kernels, a, size, problem, n_jobs)
    if not in_range:
        checks.finite_array(a, "a")
    return x


def on_a_copy(point, a, problem):
    """Returns (a copy of the point, in the same dtype, that the kernel has changed; what the kernel returns).

    The kernel computes in float64. Of all ways to pass an array to a kernel and back, this takes the least time.
    """
    if a.dtype is FLOAT64:
        x = a.copy()
        return x, point(x, *problem)
    x = a.astype(FLOAT64)
    returned = point(x, *problem)
    return x.astype(a.dtype), returned


def project_rows(rows, a, problem, n_jobs):
    """Project each row by a kernel that also tells whether all coordinates are in range."""
    points = _as_rows(a)
    x = np.empty(points.shape, a.dtype)
    pieces = ranges(len(points), max(1, PIECE // points.shape[1]))
    in_range = for_each(lambda begin, end: rows(points[begin:end], *problem, x[begin:end]), pieces, n_jobs)
    if not all(in_range):
        checks.finite_array(a, "a")
    return x.reshape(a.shape)


def project_pairs(b, c, radius, n_jobs):
    """Project each pair of rows onto the bipartite simplex. Returns (u, v)."""
    points = [_as_rows(b), _as_rows(c)]
    widths = [rows.shape[1] for rows in points]
    is_long = max(widths) >= LONG_ROW
    # The kernel of long rows writes them only where they are not 0.
    answers = [(np.zeros if is_long else np.empty)(rows.shape, b.dtype) for rows in points]
    rows_of = bipartite_long_rows if is_long else bipartite_rows
    given = [bits_of(rows) for rows in points] if is_long else points
    pieces = ranges(len(points[0]), max(1, PIECE // sum(widths)))

    def project_piece(begin, end):
        return rows_of(*(rows[begin:end] for rows in given), radius, *(x[begin:end] for x in answers))

    if not all(for_each(project_piece, pieces, n_jobs)):
        checks.finite_array(b, "b")
        checks.finite_array(c, "c")
    return answers[0].reshape(b.shape), answers[1].reshape(c.shape)


def _project_long(kernels, a, size, problem, n_jobs):
    """Project long rows. Returns (the answer, whether all coordinates are in range)."""
    points = _as_rows(a)
    bits, (n, d), blocks = bits_of(points), points.shape, number_of_blocks(points.shape[1], size)
    # Kernels write a long row only where it is not 0. np.zeros does not touch the memory of the other coordinates.
    x, maxima = np.zeros(points.shape, a.dtype), np.empty((n, blocks), bits.dtype)

    def project_slice(*rows):
        part = slice(*rows)
        return kernels.long_rows(bits[part], size, maxima[part], *problem, x[part])

    n_jobs = max(1, min(n_jobs, points.size // PER_THREAD))
    if n_jobs == 1:
        in_range = kernels.long_rows(bits, size, maxima, *problem, x)
    elif n >= n_jobs:
        in_range = all(for_each(project_slice, ranges(n, max(1, PIECE // d)), n_jobs))
    else:
        with threads(n_jobs) as each:
            parts = ranges(blocks, -(-blocks // (PARTS_PER_THREAD * n_jobs)))
            in_range = all(each(lambda *part: write_maxima(bits, size, *part, maxima), parts))
            for i in range(n if in_range else 0):
                _project_by_maxima(kernels.of_maxima, points[i], size, maxima[i], problem, each, x[i])
    return x.reshape(a.shape), in_range


def _project_by_maxima(of_maxima, a, size, maxima, problem, each, x):
    """Project one long row, given the bits of the maxima of its blocks. Several threads write the answer.

    To clear the pages of new memory takes longer than to write the few coordinates that are not 0.
    """
    indices = np.empty(a.size, np.int64)
    m, *clip = of_maxima(a, size, maxima.view(a.dtype), indices, *problem)
    parts = ranges(m, max(1, m // WRITTEN_PARTS)) if m else []
    each(lambda begin, end: write_clipped(a, indices[begin:end], *clip, x), parts)


def _as_rows(a):
    """Returns a read-only matrix of the rows: each kernel is compiled for one type of memory."""
    return read_only(np.ascontiguousarray(a).reshape(-1, a.shape[-1]))
