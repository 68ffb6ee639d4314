"""Project pairs of rows onto the bipartite simplex {u, v >= 0, sum u = sum v <= radius}.

A long row is split into blocks, as for the other sets. The maxima of the blocks are some of the coordinates, so the
depth at which they reach a sum bounds the depth of the row. Only blocks whose maximum is above it are read again.
"""

import numpy as np

from .._shared.bipartite import bipartite_depths, depth_of_sum
from .._shared.bits import all_in_range
from .._shared.jit import kernel
from .candidates import LARGEST_BLOCK, Blocks, Memory, gather_above, write_row_maxima
from .thresholds import just_below

LEAST_BLOCKS = 4  # of a row that is short, while the other one of its pair is long


@kernel
def bipartite_rows(b, c, radius, u, v):
    """Project each pair of short rows. Returns False if a coordinate is not in range."""
    near_b, near_c = np.empty(b.shape[1]), np.empty(c.shape[1])
    for i in range(len(b)):
        if not (all_in_range(b[i]) and all_in_range(c[i])):
            return False
        b_most, c_most = relative_to_largest(b[i], near_b), relative_to_largest(c[i], near_c)
        gap, w, z = b_most + c_most, 0.0, 0.0
        if radius > 0 and gap > 0:
            w, z = bipartite_depths(near_b, near_b.size, near_c, near_c.size, radius, gap)
        write_raised(b[i], b_most, w, u[i])
        write_raised(c[i], c_most, z, v[i])
    return True


@kernel
def relative_to_largest(a, out):
    """Write a - max a to `out`. Returns max a."""
    most = np.float64(a[0])
    for i in range(a.size):
        most = max(most, np.float64(a[i]))
    for i in range(a.size):
        out[i] = a[i] - most
    return most


@kernel
def write_raised(a, most, w, out):
    """Write max(a - most + w, 0) to `out`."""
    for i in range(a.size):
        out[i] = max((a[i] - most) + w, 0.0)


@kernel
def bipartite_long_rows(b_bits, c_bits, radius, u, v):
    """Project each pair of rows, of which at least one is long. u and v are 0 before. Returns False if not in range.

    `b_bits` and `c_bits` are the bits of the rows.
    """
    b, c = b_bits.view(u.dtype), c_bits.view(v.dtype)
    b_indices, c_indices = np.empty(b.shape[1], np.int64), np.empty(c.shape[1], np.int64)
    for i in range(len(b)):
        b_size, b_maxima = _block_maxima(b_bits[i], u.dtype)
        c_size, c_maxima = _block_maxima(c_bits[i], v.dtype)
        if b_size == 0 or c_size == 0:
            return False
        b_most, c_most = np.float64(b_maxima.max()), np.float64(c_maxima.max())
        gap = b_most + c_most
        if radius > 0 and gap > 0:
            most = min(radius, gap)
            near_b = _near_largest(b[i], Blocks(b_size, b_maxima), b_most, radius, most, b_indices)
            near_c = _near_largest(c[i], Blocks(c_size, c_maxima), c_most, radius, most, c_indices)
            w, z = bipartite_depths(near_b.copy(), near_b.size, near_c.copy(), near_c.size, radius, gap)
            for j in range(near_b.size):
                u[i, b_indices[j]] = max(near_b[j] + w, 0.0)
            for j in range(near_c.size):
                v[i, c_indices[j]] = max(near_c[j] + z, 0.0)
    return True


@kernel
def _block_maxima(bits, dtype):
    """Returns (coordinates in a block, the maxima of the blocks). The size is 0 if a row is not in range."""
    size = max(min(LARGEST_BLOCK, bits.size // LEAST_BLOCKS), 1)
    maxima_bits = np.empty(-(-bits.size // size), bits.dtype)
    if not write_row_maxima(bits, size, 0, maxima_bits.size, maxima_bits):
        size = 0
    return size, maxima_bits.view(dtype)


@kernel
def _near_largest(a, blocks, largest, radius, most, indices):
    """Returns the coordinates that can be positive in the answer, less the largest. Writes their indices."""
    relative = np.empty(blocks.maxima.size)
    for j in range(relative.size):
        relative[j] = blocks.maxima[j] - largest
    _, depth = depth_of_sum(relative, relative.size, radius, most)
    memory = Memory(np.empty(a.size), relative, relative)
    m = gather_above(a, blocks, just_below(largest - depth), memory, indices)
    near = memory.candidates[:m]
    for j in range(m):
        near[j] -= largest
    return near
