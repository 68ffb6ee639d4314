"""Which coordinates can be above the threshold at all: one pass over memory, which few coordinates survive.

The maxima of blocks are taken first. They alone, with the few largest coordinates, are a projection problem of a
hundredth of the size, and its threshold is a lower bound of the true one: only blocks whose maximum is above it are
looked at again. Maxima are taken of the bits, read as integers in the order of the floats: these vectorise without a
promise that no NaN comes along, and their extremes tell whether one did.
"""

import numpy as np

from .._shared.jit import kernel

SMALL = 256  # with fewer coordinates than this, looking at all of them is quicker
BLOCK = 512

@kernel
def block_size(d, count):
    """A size of which there are several times `count` blocks; 0 if blocks would not help."""
    size = min(BLOCK, d // (4 * count))
    return size if d >= SMALL and size >= 8 else 0


@kernel
def block_maxima(a, bits, size):
    """The maximum of each block; the flag tells whether all is finite."""
    shift = 8 * bits.itemsize - 1
    flip = (np.int64(1) << shift) - 1 if shift < 63 else np.int64(0x7FFFFFFFFFFFFFFF)
    blocks = (bits.size + size - 1) // size
    keys = np.empty(blocks, np.int64)
    lowest = np.int64(0)
    for b in range(blocks):
        block = bits[b * size : min((b + 1) * size, bits.size)]
        highest = -flip - 1
        for i in range(block.size):
            key = np.int64(block[i])
            key ^= (key >> shift) & flip  # negative floats order backwards: flip all bits but the sign
            highest = max(highest, key)
            lowest = min(lowest, key)
        keys[b] = highest ^ ((highest >> shift) & flip)
    maxima = keys.astype(bits.dtype).view(a.dtype)
    infinity = (np.int64(0x7FF) << 52) if shift == 63 else (np.int64(0xFF) << 23)
    finite = lowest > ~infinity
    for b in range(blocks):
        finite &= maxima[b] < np.inf  # no for NaN, too
    return maxima, finite


@kernel
def representatives(a, maxima, size, level, z):
    """All coordinates >= level, and the maxima of the blocks without one; how many that is."""
    m = 0
    for b in range(maxima.size):
        if maxima[b] < level:
            z[m] = maxima[b]
            m += 1
            continue
        block = a[b * size : min((b + 1) * size, a.size)]
        for i in range(block.size):
            if block[i] >= level:
                z[m] = block[i]
                m += 1
    return m


@kernel
def gather(a, maxima, size, floor, z, where):
    """All coordinates above the floor and their indices; how many that is."""
    m = 0
    for b in range(maxima.size):
        if maxima[b] > floor:
            start = b * size
            block = a[start : min(start + size, a.size)]
            for i in range(block.size):
                z[m] = block[i]
                where[m] = start + i
                m += block[i] > floor
    return m


@kernel
def keep_above(z, m, floor):
    """Drop what is not above the floor; how many are left."""
    left = 0
    for i in range(m):
        z[left] = z[i]
        left += z[i] > floor
    return left


@kernel
def exact_shift(lowest, highest):
    """A number that may be subtracted from all floats in [lowest, highest] without rounding (Sterbenz), or 0.

    Where a coordinate is large beside its distance to the threshold, that distance keeps its digits only so.
    """
    if highest > 0 and 2 * lowest >= highest:
        return highest
    if highest < 0 and lowest >= 2 * highest:
        return highest
    return 0.0
