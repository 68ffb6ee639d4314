"""Sorting: the largest numbers by a heap, sorts that move indices along, and a shuffle."""

import math

import numpy as np

from .jit import inlined, kernel


@kernel
def heap_of_largest(values, size, top):
    """Write the largest of the first `size` values into `top`: a heap, the least of them first."""
    for j in range(top.size):
        top[j] = -np.inf
    for i in range(size):
        if values[i] > top[0]:
            _sift(values[i], top, top.size)


@kernel
def largest(values, size, top):
    """Write the largest of the first `size` values into `top`, in descending order."""
    heap_of_largest(values, size, top)
    for last in range(top.size - 1, 0, -1):
        least = top[0]
        _sift(top[last], top, last)
        top[last] = least


@kernel
def _sift(value, heap, count):
    """Put a value in the place of the least of heap[:count]."""
    parent, child = 0, 1
    while child < count:
        if child + 1 < count and heap[child + 1] < heap[child]:
            child += 1
        if heap[child] >= value:
            break
        heap[parent] = heap[child]
        parent, child = child, 2 * child + 1
    heap[parent] = value


@kernel
def shuffle(rows, seed):
    """Fisher and Yates's shuffle by a congruential generator modulo 2^32; returns its state."""
    for i in range(len(rows) - 1, 0, -1):
        seed = (1664525 * seed + 1013904223) % 4294967296
        j = seed * (i + 1) // 4294967296
        rows[i], rows[j] = rows[j], rows[i]
    return seed

SHORT = 24  # segments of at most this many negatives are sorted by insertion


@inlined
def precedes(value, index, other, other_index):
    """Whether a negative comes before another: the higher score first, then the lower index."""
    return value > other or (value == other and index < other_index)


@inlined
def run_end(a, begin, end):
    """Where the descending run that begins a segment ends: equal scores and sorted input need no partitions."""
    k = begin + 1
    while k < end and a[k] <= a[k - 1]:
        k += 1
    return k


@inlined
def insert_all(values, where, begin, end):
    """Sort a short segment."""
    for i in range(begin + 1, end):
        value, index, k = values[i], where[i], i
        while k > begin and precedes(value, index, values[k - 1], where[k - 1]):
            values[k], where[k] = values[k - 1], where[k - 1]
            k -= 1
        values[k], where[k] = value, index


@inlined
def swap(values, where, i, k):
    """Exchange two negatives."""
    values[i], values[k] = values[k], values[i]
    where[i], where[k] = where[k], where[i]


@kernel
def partition(values, where, begin, end):
    """Bring the median of three to its place, what precedes it before it; its place."""
    middle, last = (begin + end) >> 1, end - 1
    for i, k in ((begin, middle), (middle, last), (begin, middle)):
        if precedes(values[k], where[k], values[i], where[i]):
            swap(values, where, i, k)
    swap(values, where, middle, last - 1)
    value, index = values[last - 1], where[last - 1]
    i, k = begin, last - 1
    while True:  # the ends stop both searches: they are in order with the median
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
    """Sort a segment that the partitions keep splitting badly."""
    size = end - begin
    for turn in range(size + size // 2 - 1, 0, -1):
        if turn >= size:
            root, left = turn - size, size
        else:
            swap(values, where, begin, begin + turn)
            root, left = 0, turn
        while 2 * root + 1 < left:  # the last in order is on top
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
    """How many partitions on top of each other are too many; -1 if the segment is sorted as it came."""
    return -1 if run_end(values, begin, end) == end else 2 * int(math.log2(end - begin)) + 2


@kernel
def split(values, where, begin, end, depth):
    """Bring some negative of a segment to its place, what precedes it before it; its place, and how often again.

    A depth below 0 tells that the segment is sorted: as it came, or after too many bad partitions.
    """
    if depth > 0:
        return partition(values, where, begin, end), depth - 1
    if depth == 0:
        heap_sort(values, where, begin, end)
    return (begin + end) >> 1, -1
