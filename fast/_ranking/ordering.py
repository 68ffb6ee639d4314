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
from .._shared.jit import borrowing_kernel, inlined, kernel
from .._shared.threads import ranges

MIDDLE_OF = 64  # scores of which the middle is taken
MOST_MOVES = 1 / 4  # for each score; with more, another sort takes less time
HALVINGS = 4
PARTS = 2**HALVINGS  # that threads sort, so that they end at about the same time though their lengths differ
SAMPLED_EACH = 64  # keys for each part, from which its ends are estimated


def descending_order(n, each=None):
    """Returns (scores in descending order, their indices). Of equal scores, the first is the highest.

    `each` is from `threads`. Without it, the keys are sorted in one piece.
    """
    values, keys = np.empty((2, len(n)))  # one piece of memory, which is quicker to get than two
    keys = keys.view(np.int64)
    sort = _sort_in_parts if each else _sort
    if not (sort(n, 0.0, each, keys, values) or sort(n, _middle(n), each, keys, values)):
        keys = len(n) - 1 - np.argsort(n[::-1], kind="stable")[::-1]
        values[:] = n[keys]
    return values, keys


def _sort(n, centre, _, keys, values):
    """Write the scores in order and their indices. Returns False if many keys agree or the centre is not in range."""
    if not math.isfinite(centre):
        return False
    write_keys(n, centre, 0, len(n), keys)
    keys.sort()
    return write_in_order(n, keys, values)


def _sort_in_parts(n, centre, each, keys, values):
    """Do what `_sort` does, by parts: all keys of a part are below those of the next part."""
    if not math.isfinite(centre):
        return False

    def sort(begin, end):
        part = keys[begin:end]
        part.sort()
        return write_in_order(n, part, values[begin:end])

    ends = _write_parts(n, centre, each, keys)
    return all(each(sort, zip(ends[:-1], ends[1:], strict=True)))


def _write_parts(n, centre, each, keys):
    """Write the keys, those of the first part first. Returns the ends of the parts, from 0 on.

    Scores whose keys differ in the index only are in the same part, as `write_in_order` may have to move them.
    """
    size, chunks = len(n), ranges(len(n), -(-len(n) // PARTS))
    sample = n[:: size // (PARTS * SAMPLED_EACH)]
    lowest = np.empty(len(sample), np.int64)
    write_keys(np.ascontiguousarray(sample), centre, 0, size, lowest)
    lowest.sort()
    splitters = lowest[len(sample) // PARTS :: len(sample) // PARTS][: PARTS - 1] & -(1 << size.bit_length())
    unsorted, part = np.empty(size, np.int64), np.empty(size, np.uint8)

    def count(begin, end):
        counts = np.zeros(PARTS, np.int64)
        write_keys(n[begin:end], centre, begin, size, unsorted[begin:end])
        find_parts(unsorted[begin:end], splitters, part[begin:end], counts)
        return counts

    counts = np.array(each(count, chunks)).T
    ends = np.cumsum(counts).reshape(counts.shape)
    places = np.ascontiguousarray((ends - counts).T)
    each(
        lambda c, begin, end: move_to_parts(unsorted[begin:end], part[begin:end], places[c], keys),
        [(c, *chunk) for c, chunk in enumerate(chunks)],
    )
    return [0, *ends[:, -1].tolist()]


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
def write_keys(n, centre, first, size, keys):
    """Write a key for each of these scores, less a centre. They are the negatives first, first + 1, ... of `size`."""
    mask = _index_bits(size)
    for i in range(n.size):
        bits = np.float64(centre - n[i]).view(np.int64)  # with the centre 0.0, both zeros have the same key
        keys[i] = ((bits ^ ((bits >> 63) & MAGNITUDE_BITS[1])) & ~mask) | (first + i)


@kernel
def write_in_order(n, keys, values):
    """Write the scores in the order of sorted keys, and their indices to `keys`. Returns False if it takes too long."""
    mask, moves = _index_bits(n.size), 0
    for k in range(keys.size):
        index = keys[k] & mask
        value, place = np.float64(n[index]), k
        while place > 0 and value > values[place - 1]:
            values[place], keys[place] = values[place - 1], keys[place - 1]
            place -= 1
        values[place], keys[place] = value, index
        moves += k - place
        if moves > MOST_MOVES * keys.size:
            return False
    return True


@borrowing_kernel
def find_parts(keys, splitters, part, counts):
    """Write the part of each key: the number of splitters that are at most the key. Count the keys of each part."""
    for k in range(keys.size):
        b = np.uint64(0)
        for halving in range(HALVINGS):  # unrolled, and without branches, which would not be predictable
            step = np.uint64(PARTS >> 1 >> halving)
            b += step * np.uint64(keys[k] >= splitters[b + step - np.uint64(1)])
        part[k] = b
        counts[b] += 1


@borrowing_kernel
def move_to_parts(unsorted, part, places, keys):
    """Write keys to their parts. `places` holds the place of the next key of each part."""
    for k in range(unsorted.size):
        b = np.int64(part[k])
        keys[places[b]] = unsorted[k]
        places[b] += 1
