"""The negatives in the order of their scores, by a sort of integers: several times faster than an argsort.

The upper bits of a key are those of the score, so that the key falls with the score. The lower bits are the index. So
the sorted keys hold the order, and of equal scores the first one comes first. Scores that differ in their lowest bits
only may come in the order of their indices. They are moved when the scores are read in the order of the keys. They are
few unless scores are close to each other, and then a score in the middle is subtracted from all. A rounded difference
keeps the order, except that scores may become equal.
"""

import math

import numpy as np

from .._shared.bits import MAGNITUDE_BITS
from .._shared.jit import inlined, kernel

MIDDLE_OF = 64  # scores of which the middle is taken
MOST_MOVES = 1 / 4  # for each score; with more, another sort takes less time


def descending_order(n):
    """Returns (scores in descending order, their indices). Of equal scores, the first is the highest."""
    values, keys = np.empty((2, len(n)))  # one piece of memory, which is quicker to get than two
    keys = keys.view(np.int64)
    if not (_sort(n, 0.0, keys, values) or _sort(n, _middle(n), keys, values)):
        keys = len(n) - 1 - np.argsort(n[::-1], kind="stable")[::-1]
        values[:] = n[keys]
    return values, keys


def _sort(n, centre, keys, values):
    """Write the scores in order and their indices. Returns False if many keys agree or the centre is not finite."""
    if not math.isfinite(centre):
        return False
    write_keys(n, centre, keys)
    keys.sort()
    return write_in_order(n, keys, values)


def _middle(n):
    """Returns a score in the middle. Close scores less this one are exact, and so have different keys."""
    sample = np.sort(n[:: -(-len(n) // MIDDLE_OF)])
    return float(sample[len(sample) // 2])


@inlined
def _index_bits(size):
    """Returns the number that has ones in all bits that an index below `size` needs."""
    mask = 1
    while mask < size:
        mask = 2 * mask + 1
    return mask


@kernel
def write_keys(n, centre, keys):
    """Write a key for each score less a centre."""
    mask = _index_bits(n.size)
    for i in range(n.size):
        bits = np.float64(centre - n[i]).view(np.int64)  # with the centre 0.0, both zeros have the same key
        keys[i] = ((bits ^ ((bits >> 63) & MAGNITUDE_BITS[1])) & ~mask) | i


@kernel
def write_in_order(n, keys, values):
    """Write the scores in the order of sorted keys, and their indices to `keys`. Returns False if it takes too long."""
    mask, moves = _index_bits(n.size), 0
    for k in range(n.size):
        index = keys[k] & mask
        value, place = np.float64(n[index]), k
        while place > 0 and value > values[place - 1]:
            values[place], keys[place] = values[place - 1], keys[place - 1]
            place -= 1
        values[place], keys[place] = value, index
        moves += k - place
        if moves > MOST_MOVES * n.size:
            return False
    return True
