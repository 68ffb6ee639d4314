"""Which kernels a call needs: one short point, short rows or long rows; and how they are spread over threads."""

from typing import Any, NamedTuple

import numpy as np

from reference import contract

from .._shared.bits import bits_of
from .._shared.examples import read_only
from .._shared.threads import for_each, ranges
from .candidates import LONG_ROW, NOT_SPLIT, block_size, number_of_blocks, write_maxima

# Coordinates that are projected by one call of a kernel: a megabyte, which fits into the cache of a core. The first row
# of each piece starts without a guess, whatever the number of threads, so that they do not change the answer.
PIECE = 1 << 17
PARTS_PER_THREAD = 4  # of one long row. The parts do not change the answer, and a few of them balance the threads
FLOAT64 = np.dtype(np.float64)


class Kernels(NamedTuple):
    """The kernels of one set: for a short point in place, for short rows, and for long rows with their maxima."""

    point: Any
    rows: Any
    long_rows: Any


def project(kernels, a, largest, problem, n_jobs):
    """Project a point or each row of a matrix. The kernels need at most so many of the largest coordinates of a row."""
    if a.ndim == 1 and a.size < LONG_ROW:
        x, finite = on_a_copy(kernels.point, a, problem)
    else:
        size = block_size(a.shape[-1], largest)
        if size == NOT_SPLIT:
            return project_rows(kernels.rows, a, problem, n_jobs)
        x, finite = _project_long(kernels.long_rows, a, size, problem, n_jobs)
    if not finite:
        contract.finite_array(a, "a")
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
    """Project each row by a kernel that also tells whether all coordinates are finite."""
    points = _as_rows(a)
    x = np.empty(points.shape, a.dtype)
    pieces = ranges(len(points), max(1, PIECE // points.shape[1]))
    finite = for_each(lambda begin, end: rows(points[begin:end], *problem, x[begin:end]), pieces, n_jobs)
    if not all(finite):
        contract.finite_array(a, "a")
    return x.reshape(a.shape)


def _project_long(long_rows, a, size, problem, n_jobs):
    """Project long rows. Returns (the answer, whether all coordinates are finite)."""
    bits = bits_of(_as_rows(a))
    (n, d), blocks = bits.shape, number_of_blocks(bits.shape[1], size)
    # Kernels write a long row only where it is not 0. np.zeros does not touch the memory of the other coordinates.
    x, maxima = np.zeros(bits.shape, a.dtype), np.empty((n, blocks), bits.dtype)

    def project_slice(*rows):
        part = slice(*rows)
        return long_rows(bits[part], size, maxima[part], False, *problem, x[part])

    if n_jobs == 1:
        finite = long_rows(bits, size, maxima, False, *problem, x)
    elif n >= n_jobs:
        finite = all(for_each(project_slice, ranges(n, max(1, PIECE // d)), n_jobs))
    else:
        parts = ranges(blocks, -(-blocks // (PARTS_PER_THREAD * n_jobs)))
        finite = all(for_each(lambda *part: write_maxima(bits, size, *part, maxima), parts, n_jobs))
        finite = finite and long_rows(bits, size, maxima, True, *problem, x)
    return x.reshape(a.shape), finite


def _as_rows(a):
    """Returns a read-only matrix of the rows: each kernel is compiled for one type of memory."""
    return read_only(np.ascontiguousarray(a).reshape(-1, a.shape[-1]))
