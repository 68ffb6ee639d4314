"""The candidates of a long row: the coordinates that can be above the threshold, found in one pass over memory.

A long row is split into blocks, and the maximum of each block is taken. The maxima and the few largest coordinates form
a much smaller projection problem. Its threshold is a lower bound of the true one, so only the blocks whose maximum is
above this bound are read a second time.

The maxima are taken of the bits of the floats, read as integers in the order of the floats. Unlike comparisons of
floats, these vectorise without the assumption that no NaN occurs, and the extremes of the bits show whether one did.
"""

from typing import NamedTuple

import numpy as np

from .._shared.bits import LARGEST_BITS, MAGNITUDE_BITS
from .._shared.jit import kernel
from .._shared.order import largest_sorted

LONG_ROW = 3072  # rows with fewer coordinates than this are not split: reading them coordinate by coordinate is faster
LARGEST_BLOCK = 512  # coordinates; the maxima of a million coordinates are then a problem of two thousand
SMALLEST_BLOCK = 8  # with fewer coordinates a block, the maxima save too little work
BLOCKS_PER_LARGEST = 4  # with fewer blocks for each of the largest coordinates, most blocks would be read again
SIGN = -MAGNITUDE_BITS[1] - 1  # the bit of the sign
NOT_SPLIT = 0  # the block size of a row without blocks


class Blocks(NamedTuple):
    """How a row is split: the number of coordinates in a block, and the maximum of each block."""

    size: int
    maxima: np.ndarray


class Memory(NamedTuple):
    """Memory that all rows use in turn. The first m of `candidates` are the candidates of a row.

    `largest` holds the largest coordinates in descending order, and `excess` belongs to `topk_threshold`.
    """

    candidates: np.ndarray
    largest: np.ndarray
    excess: np.ndarray


def block_size(d, largest):
    """Returns the number of coordinates in a block of a row of d, of which so many are `largest`, or NOT_SPLIT."""
    size = min(LARGEST_BLOCK, d // (BLOCKS_PER_LARGEST * largest))
    return size if d >= LONG_ROW and size >= SMALLEST_BLOCK else NOT_SPLIT


def number_of_blocks(d, size):
    """Returns the number of blocks of a row; the last one may be shorter."""
    return -(-d // size)


@kernel
def write_maxima(bits, size, first, last, maxima_bits):
    """Write the bits of the maximum of each of the blocks first..last - 1 of each row. `bits` are those of the rows.

    Returns whether all coordinates are in range.
    """
    in_range = True
    for i in range(len(bits)):
        in_range &= write_row_maxima(bits[i], size, first, last, maxima_bits[i])
    return in_range


@kernel
def write_row_maxima(bits, size, first, last, maxima_bits):
    """Do for one row what `write_maxima` does."""
    width = bits.itemsize // 8
    largest, sign = LARGEST_BITS[width], -MAGNITUDE_BITS[width] - 1
    highest, lowest = np.int64(sign), np.int64(SIGN)
    for b in range(first, last):
        block = bits[b * size : min((b + 1) * size, bits.size)]
        most = np.int64(block[0])
        for i in range(block.size):
            key = np.int64(block[i])
            most = max(most, key)
            lowest = max(lowest, key ^ SIGN)  # without its sign, a negative float is above all positive ones
        if most < 0:  # the bits of negative floats are in reverse order
            for i in range(block.size):
                most = min(most, np.int64(block[i]))
        maxima_bits[b] = most
        highest = max(highest, most)
    lowest ^= SIGN
    return (highest <= largest) & ((lowest >= 0) | (lowest <= sign + largest))


@kernel
def representatives(a, blocks, memory):
    """Write the largest coordinates, and candidates among which they are. Returns the number of the candidates.

    These are all coordinates that are at least the last of the largest maxima, and the other maxima.
    """
    largest_sorted(blocks.maxima, blocks.maxima.size, memory.largest)
    candidates, level, m = memory.candidates, memory.largest[-1], 0
    for b in range(blocks.maxima.size):
        if blocks.maxima[b] < level:
            candidates[m] = blocks.maxima[b]
            m += 1
            continue
        for i in range(b * blocks.size, min((b + 1) * blocks.size, a.size)):
            if a[i] >= level:
                candidates[m] = a[i]
                m += 1
    largest_sorted(candidates, m, memory.largest)
    return m


@kernel
def gather_above(a, blocks, bound, memory, indices):
    """Write all coordinates of a row that are above a bound, and their indices. Returns their number."""
    candidates, m = memory.candidates, 0
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
def write_clipped(a, indices, shift, t, u, x):
    """Write x = clip(a - shift - t, 0, u) at the given indices. x must be 0 elsewhere."""
    for j in range(indices.size):
        i = indices[j]
        x[i] = min(max((a[i] - shift) - t, 0.0), u)
