"""The candidates of a row: the coordinates that can be above the threshold, found in one pass over memory.

A long row is split into blocks, and the maximum of each block is taken. The maxima and the few largest coordinates form
a much smaller projection problem. Its threshold is a lower bound of the true one, so only the blocks whose maximum is
above this bound are read a second time. A short row is not split: all of its coordinates are candidates.

The maxima are taken of the bits of the floats, read as integers in the order of the floats. Unlike comparisons of
floats, these vectorise without the assumption that no NaN occurs, and the extremes of the bits show whether one did.
"""

from typing import NamedTuple

import numpy as np

from .._shared.bits import INFINITY_BITS, MAGNITUDE_BITS, all_finite
from .._shared.jit import kernel
from .._shared.order import largest_sorted

LONG_ROW = 256  # rows with fewer coordinates than this are not split: reading all of them is faster
LARGEST_BLOCK = 512  # coordinates; the maxima of a million coordinates are then a problem of two thousand
SMALLEST_BLOCK = 8  # with fewer coordinates a block, the maxima save too little work
BLOCKS_PER_LARGEST = 4  # with fewer blocks for each of the largest coordinates, most blocks would be read again
NOT_SPLIT = 0  # the block size of a row without blocks


class Blocks(NamedTuple):
    """How a row is split: the number of coordinates in a block, or NOT_SPLIT, and the maximum of each block."""

    size: int
    maxima: np.ndarray


class Memory(NamedTuple):
    """Memory that all rows use in turn: two arrays as long as a row, one for blocks, two for the largest coordinates.

    The first m of `candidates` are the candidates of a row. For a row in blocks, `indices` says where they stand in the
    row. `maxima_bits` are the bits of the maxima of the blocks. `largest` holds the largest coordinates in descending
    order, and `excess` belongs to `topk_threshold`.
    """

    candidates: np.ndarray
    indices: np.ndarray
    maxima_bits: np.ndarray
    largest: np.ndarray
    excess: np.ndarray


@kernel
def memory_for(bits, largest, excess):
    """Returns Memory for rows like this one. Room for the smallest blocks is enough: less memory, fewer page faults."""
    d = bits.size
    return Memory(np.empty(d), np.empty(d, np.int64), np.empty(d // SMALLEST_BLOCK + 1, bits.dtype), largest, excess)


@kernel
def find_candidates(a, bits, memory):
    """Write the coordinates among which the largest are. Returns (blocks, the number of candidates, all finite?)."""
    size = min(LARGEST_BLOCK, a.size // (BLOCKS_PER_LARGEST * memory.largest.size))
    if a.size < LONG_ROW or size < SMALLEST_BLOCK:
        size = NOT_SPLIT
    if size == NOT_SPLIT:
        for i in range(a.size):  # Numba takes seconds to compile candidates[:d] = a
            memory.candidates[i] = a[i]
        return Blocks(size, memory.maxima_bits[:0].view(a.dtype)), a.size, all_finite(bits)
    maxima_bits = memory.maxima_bits[: (a.size + size - 1) // size]
    blocks = Blocks(size, maxima_bits.view(a.dtype))
    if not _write_maxima(bits, blocks, maxima_bits):
        return blocks, 0, False
    largest_sorted(blocks.maxima, blocks.maxima.size, memory.largest)
    return blocks, _representatives(a, blocks, memory), True


@kernel
def _write_maxima(bits, blocks, maxima_bits):
    """Write the bits of the maximum of each block. Returns whether all coordinates are finite."""
    size, shift, width = blocks.size, 8 * bits.itemsize - 1, bits.itemsize // 8
    flip, infinity = MAGNITUDE_BITS[width], INFINITY_BITS[width]
    lowest, finite = np.int64(0), True
    for b in range(blocks.maxima.size):
        block = bits[b * size : min((b + 1) * size, bits.size)]
        highest = -flip - 1
        for i in range(block.size):
            key = np.int64(block[i])
            key ^= (key >> shift) & flip  # negative floats are in reverse order: flip all bits but the sign
            highest = max(highest, key)
            lowest = min(lowest, key)
        maxima_bits[b] = highest ^ ((highest >> shift) & flip)
        finite &= blocks.maxima[b] < np.inf  # False for NaN, too
    return finite & (lowest > ~infinity)


@kernel
def _representatives(a, blocks, memory):
    """Write all coordinates that are at least the last of the largest maxima, and the other maxima.

    Returns how many were written.
    """
    candidates, level, m = memory.candidates, memory.largest[-1], 0
    for b in range(blocks.maxima.size):
        if blocks.maxima[b] < level:
            candidates[m] = blocks.maxima[b]
            m += 1
            continue
        block = a[b * blocks.size : min((b + 1) * blocks.size, a.size)]
        for i in range(block.size):
            if block[i] >= level:
                candidates[m] = block[i]
                m += 1
    return m


@kernel
def gather_above(a, blocks, bound, memory):
    """Write all coordinates that are above a bound and, of a row in blocks, their indices. Returns their number."""
    candidates, indices, m = memory.candidates, memory.indices, 0
    if blocks.size == NOT_SPLIT:
        for i in range(a.size):
            candidates[m] = a[i]
            m += a[i] > bound
    for b in range(blocks.maxima.size):
        if blocks.maxima[b] > bound:
            start = b * blocks.size
            block = a[start : min(start + blocks.size, a.size)]
            for i in range(block.size):
                candidates[m] = block[i]
                indices[m] = start + i
                m += block[i] > bound
    return m


@kernel
def keep_above(values, m, bound):
    """Move those of values[:m] that are above a bound to the front. Returns their number."""
    kept = 0
    for i in range(m):
        values[kept] = values[i]
        kept += values[i] > bound
    return kept


@kernel
def write_shared(a, blocks, least, u, x):
    """Write u where a >= least. Other coordinates become 0; in blocks without such a coordinate they must be 0."""
    if blocks.size == NOT_SPLIT:
        for i in range(a.size):
            x[i] = u if a[i] >= least else 0.0
        return
    for b in range(blocks.maxima.size):
        if blocks.maxima[b] >= least:
            for i in range(b * blocks.size, min((b + 1) * blocks.size, a.size)):
                x[i] = u if a[i] >= least else 0.0


@kernel
def write_clipped(a, blocks, indices, shift, t, u, x):
    """Write x = clip(a - shift - t, 0, u): all of a short row; of a row in blocks the given indices, the rest is 0."""
    if blocks.size == NOT_SPLIT:
        for i in range(a.size):
            x[i] = min(max((a[i] - shift) - t, 0.0), u)
        return
    for j in range(indices.size):
        i = indices[j]
        x[i] = min(max((a[i] - shift) - t, 0.0), u)
