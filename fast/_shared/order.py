"""Sorts for kernels: the largest values by a heap, the steps of a quicksort that carries indices along, and a shuffle.

The quicksort sorts pairs (values[i], where[i]): the higher value first, and of equal values the one with the lower
index in `where`. If `where` starts as 0, 1, 2, ..., it ends as a stable descending argsort. Callers do the recursion
themselves, on segments begin:end of both arrays, because they can often skip one of the two parts.
"""

import math

import numpy as np

from .jit import inlined, kernel

SHORT = 24  # segments of at most this many pairs are sorted fastest by insertion
SORTED = -1  # in place of a depth: the segment is sorted
EXTRA_PARTITIONS = 2  # partitions that are allowed beyond twice the logarithm of the length

# --- the largest values --------------------------------------------------------------------------------------------


@kernel
def heap_of_largest(values, size, top):
    """Write the largest of values[:size] into `top` as a heap: top[0] is the smallest of them."""
    for j in range(top.size):
        top[j] = -np.inf
    for i in range(size):
        if values[i] > top[0]:
            replace_smallest(values[i], top, top.size)


@kernel
def largest_sorted(values, size, top):
    """Write the largest of values[:size] into `top`, in descending order."""
    heap_of_largest(values, size, top)
    sort_heap(top)


@kernel
def sort_heap(heap):
    """Sort a heap in descending order."""
    for last in range(heap.size - 1, 0, -1):
        least = heap[0]
        replace_smallest(heap[last], heap, last)
        heap[last] = least


@kernel
def replace_smallest(value, heap, count):
    """Replace the smallest value of heap[:count], which is heap[0], by another and restore the heap."""
    parent, child = 0, 1
    while child < count:
        if child + 1 < count and heap[child + 1] < heap[child]:
            child += 1
        if heap[child] >= value:
            break
        heap[parent] = heap[child]
        parent, child = child, 2 * child + 1
    heap[parent] = value


# --- a quicksort of pairs, step by step ----------------------------------------------------------------------------


@inlined
def precedes(value, index, other, other_index):
    """Returns whether one pair comes before another: the higher value first, then the lower index."""
    return value > other or (value == other and index < other_index)


@inlined
def run_end(a, begin, end):
    """Returns the end of the descending run at the start of a[begin:end]. At `end`, the segment is sorted already."""
    k = begin + 1
    while k < end and a[k] <= a[k - 1]:
        k += 1
    return k


@inlined
def insert_all(values, where, begin, end):
    """Sort a short segment of the pairs by insertion."""
    for i in range(begin + 1, end):
        value, index, k = values[i], where[i], i
        while k > begin and precedes(value, index, values[k - 1], where[k - 1]):
            values[k], where[k] = values[k - 1], where[k - 1]
            k -= 1
        values[k], where[k] = value, index


@inlined
def swap(values, where, i, k):
    """Exchange two pairs."""
    values[i], values[k] = values[k], values[i]
    where[i], where[k] = where[k], where[i]


@kernel
def partition(values, where, begin, end):
    """Bring one pair of a segment to its sorted place, and all that precede it before it. Returns the place.

    The pair is the median of the first, the middle and the last. The segment has more than SHORT pairs.
    """
    middle, last = (begin + end) >> 1, end - 1
    for i, k in ((begin, middle), (middle, last), (begin, middle)):
        if precedes(values[k], where[k], values[i], where[i]):
            swap(values, where, i, k)
    swap(values, where, middle, last - 1)
    value, index = values[last - 1], where[last - 1]
    i, k = begin, last - 1
    while True:  # both searches stop at the ends of the segment, which are in order with the median
        i += 1
        while precedes(values[i], where[i], value, index):
            i += 1
        k -= 1
        while precedes(value, index, values[k], where[k]):
            k -= 1
        if i >= k:
            break
        swap(values, where, i, k)
    swap(values, where, i, last - 1)
    return i


@kernel
def heap_sort(values, where, begin, end):
    """Sort a segment of the pairs by a heap: in O(size log size) whatever the values, but slower than partitions."""
    size = end - begin
    for turn in range(size + size // 2 - 1, 0, -1):
        if turn >= size:
            root, left = turn - size, size
        else:
            swap(values, where, begin, begin + turn)
            root, left = 0, turn
        while 2 * root + 1 < left:  # the root of the heap is the last pair in order
            child = 2 * root + 1
            other = begin + child + 1
            if child + 1 < left and precedes(values[other - 1], where[other - 1], values[other], where[other]):
                child += 1
            if not precedes(values[begin + root], where[begin + root], values[begin + child], where[begin + child]):
                break
            swap(values, where, begin + root, begin + child)
            root = child


@kernel
def first_depth(values, begin, end):
    """Returns how many nested partitions are allowed, or SORTED if the values already are in descending order."""
    return SORTED if run_end(values, begin, end) == end else 2 * int(math.log2(end - begin)) + EXTRA_PARTITIONS


@kernel
def split(values, where, begin, end, depth):
    """Bring one pair of a segment to its sorted place, and all that precede it before it.

    `depth` is the number of nested partitions that are still allowed. At 0 the whole segment is sorted by a heap.
    Returns the place and the depth for both parts, which is SORTED if they need no more work.
    """
    if depth > 0:
        return partition(values, where, begin, end), depth - 1
    if depth == 0:
        heap_sort(values, where, begin, end)
    return (begin + end) >> 1, SORTED


# --- a shuffle -----------------------------------------------------------------------------------------------------


@kernel
def shuffle(rows, seed):
    """Fisher and Yates's shuffle with a congruential generator modulo 2^32. Returns the generator's last state."""
    for i in range(len(rows) - 1, 0, -1):
        seed = (1664525 * seed + 1013904223) % 4294967296
        j = seed * (i + 1) // 4294967296
        rows[i], rows[j] = rows[j], rows[i]
    return seed
