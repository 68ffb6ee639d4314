"""The duals of all examples as short lists: how a step reads and replaces one, and how memory grows and shrinks.

The list of an example holds its label, each rival with a dual, and the rivals that may get one. All other duals are 0.
A listed dual takes 12 bytes with its class. If all classes were listed, they need not be stored, and a dual takes 8. So
a list that would be longer than 8/12 of the classes is made complete. The lists of n examples of m classes then never
take more than 8 n m bytes, and as little as the duals that are not 0 where these are few.
"""

from typing import NamedTuple

import numpy as np

from .._shared.jit import borrowing_inlined, borrowing_kernel

LISTED_BYTES, COMPLETE_BYTES = 12, 8  # of a dual and its class, and of a dual alone
GROWTH = 1.25  # the factor by which memory grows
WASTE = 1 / 8  # the share of unused memory between lists at which they are moved together
DUALS_AT_A_TIME = 2**18  # 2 MB, so that what is computed for as many duals at once takes little memory


class DualLists(NamedTuple):
    """The duals of example i are the counts[i] values from starts[i] on. A count of 0 stands for a row of zeros.

    Their classes are those from places[i] on, the label first. A complete list has a count of m and no stored classes:
    they are the label, and then all others in ascending order. A new list that is no longer than rooms[i] replaces the
    old one. Otherwise it is appended at `ends`, the first free places in `values` and in `classes`. There are always m
    free places or more, in which a kernel can write a row of all classes.
    """

    values: np.ndarray
    classes: np.ndarray  # int32
    starts: np.ndarray  # (n,)
    places: np.ndarray  # (n,)
    counts: np.ndarray  # (n,)
    rooms: np.ndarray  # (n,)
    ends: np.ndarray  # (2,)


# --- one list, in kernels --------------------------------------------------------------------------------------------


@borrowing_inlined
def write_all_classes(lists, label, m):
    """Write all classes to the free places, the label first, then the others in ascending order. Returns the place."""
    place = lists.ends[1]
    classes = lists.classes[place : place + m]
    classes[0] = label
    for j in range(label):
        classes[j + 1] = j
    for j in range(label + 1, m):
        classes[j] = j
    return place


@borrowing_inlined
def write_all_duals(lists, i, label, m):
    """Write the duals of example i to the free places, in the order of `write_all_classes`. Returns the start."""
    count, start, place, free = lists.counts[i], lists.starts[i], lists.places[i], lists.ends[0]
    row = lists.values[free : free + m]
    for c in range(m):
        row[c] = lists.values[start + c] if count == m else 0.0
    if count < m:
        for e in range(count):
            j = lists.classes[place + e]
            row[0 if j == label else j + (j < label)] = lists.values[start + e]
    return free


@borrowing_kernel
def store_list(lists, i, m, b, least):
    """Replace the list of example i by its label and the rivals that have a dual, or a b of at least `least`.

    All its duals and classes are at the free places. `b` has a number for each rival.
    """
    free, free_place = lists.ends
    row, classes = lists.values[free : free + m], lists.classes[free_place : free_place + m]
    count = 1
    for c in range(1, m):
        count += row[c] != 0 or b[c - 1] >= least
    if count == 1:
        lists.counts[i] = lists.rooms[i] = 0
        return
    if LISTED_BYTES * count > COMPLETE_BYTES * m:
        count = m
    if count > lists.rooms[i] or (count == m) != (lists.counts[i] == m):
        lists.starts[i], lists.places[i], lists.rooms[i] = free, free_place, count
        lists.ends[0] += count
        lists.ends[1] += 0 if count == m else count
    lists.counts[i] = count
    e, start, place = 0, lists.starts[i], lists.places[i]
    for c in range(m):
        if count == m or c == 0 or row[c] != 0 or b[c - 1] >= least:
            lists.values[start + e] = row[c]
            if count < m:
                lists.classes[place + e] = classes[c]
            e += 1


# --- all lists -------------------------------------------------------------------------------------------------------


def empty_lists(n, m):
    """Returns the lists of n examples whose duals are all 0."""
    starts, places, counts, rooms = (np.zeros(n, np.int64) for _ in range(4))
    return DualLists(np.empty(m), np.empty(m, np.int32), starts, places, counts, rooms, np.zeros(2, np.int64))


def reserve(lists, rows, m):
    """Make room for so many more rows of all m classes, and one more. To grow less often, memory grows by GROWTH."""
    most = len(lists.counts) * m
    for array, end in zip((lists.values, lists.classes), lists.ends.tolist(), strict=True):
        needed = end + (rows + 1) * m
        if len(array) < needed:
            array.resize(max(needed, min(int(GROWTH * len(array)), most)), refcheck=False)


def regions(lists, blocks, m):
    """Returns the lists for each block of examples, with free places of its own: threads can replace lists in each.

    There is room for all classes of each example of the block, and of one more. `reserve` has to make room before.
    """
    shares, ends = [], lists.ends
    for rows in blocks:
        shares.append(lists._replace(ends=ends.copy()))
        ends = ends + (rows.stop - rows.start + 1) * m
    return shares


def join_regions(lists, blocks, shares, m):
    """Move together what was written to the `regions` of the lists, in the order of the blocks."""
    begins = lists.ends.copy()
    for rows, share in zip(blocks, shares, strict=True):
        for place, (array, starts) in enumerate(((lists.values, lists.starts), (lists.classes, lists.places))):
            begin, end, new = begins[place], lists.ends[place], share.ends[place] - begins[place]
            if new > 0 and begin > end:
                array[end : end + new] = array[begin : begin + new]
                own = starts[rows]
                own[own >= begin] -= begin - end
            lists.ends[place] += new
        begins += (rows.stop - rows.start + 1) * m


def pack(lists, m):
    """Move the lists together, and give back the memory after them, if a share of WASTE or more is not used."""
    listed = np.flatnonzero(lists.counts)
    stored = listed[lists.counts[listed] < m]
    used = np.array([lists.counts[listed].sum(), lists.counts[stored].sum()])
    if (lists.ends - used <= WASTE * lists.ends).all():
        return
    lists.ends[0] = _move_together(lists.values, lists.starts, lists.counts, listed)
    lists.ends[1] = _move_together(lists.classes, lists.places, lists.counts, stored)
    lists.rooms[:] = lists.counts
    for array, end in zip((lists.values, lists.classes), lists.ends.tolist(), strict=True):
        array.resize(end + m, refcheck=False)


def _move_together(array, starts, counts, rows):
    """Move these lists towards the start of the array, in the order in which they are. Returns the end of the last."""
    rows, end = rows[np.argsort(starts[rows])], 0
    ends = np.cumsum(counts[rows])
    for first, last in _parts(ends):
        part = rows[first:last]
        sizes = counts[part]
        moved = array[spread(starts[part], sizes)]
        array[end : end + len(moved)] = moved
        starts[part] = ends[first:last] - sizes
        end += len(moved)
    return end


def _parts(ends):
    """Yields (first, last) of consecutive lists with about DUALS_AT_A_TIME entries, given the sums of their sizes."""
    first = 0
    while first < len(ends):
        before = ends[first - 1] if first else 0
        last = max(int(np.searchsorted(ends, before + DUALS_AT_A_TIME, side="right")), first + 1)
        yield first, last
        first = last


def spread(starts, counts):
    """Returns the places start, ..., start + count - 1 of each list, one list after the other."""
    ends = np.cumsum(counts)
    return np.repeat(starts - (ends - counts), counts) + np.arange(ends[-1] if len(ends) else 0)


# --- lists from duals, and duals from lists --------------------------------------------------------------------------


def append_duals(lists, first, duals, labels):
    """Store the duals of the examples first, first + 1, ..., which have no lists yet, from a dense array."""
    m, listed = duals.shape[1], duals != 0
    listed |= listed.any(axis=1, keepdims=True) & (np.arange(m) == labels[:, None])
    listed |= (LISTED_BYTES * listed.sum(axis=1) > COMPLETE_BYTES * m)[:, None]
    counts, (rows, classes) = listed.sum(axis=1), np.nonzero(listed)
    label_first = np.lexsort((classes, classes != labels[rows], rows))
    stored = np.where(counts < m, counts, 0)
    classes = classes[label_first][counts[rows] < m]
    reserve(lists, len(duals), m)
    (end, place), these = lists.ends.tolist(), slice(first, first + len(duals))
    lists.values[end : end + len(rows)] = duals[listed][label_first]
    lists.classes[place : place + len(classes)] = classes
    lists.starts[these], lists.places[these] = end + np.cumsum(counts) - counts, place + np.cumsum(stored) - stored
    lists.counts[these] = lists.rooms[these] = counts
    lists.ends[:] += len(rows), len(classes)


def own_duals(lists):
    """Returns the dual (n,) of each example for its label."""
    own, listed = np.zeros(len(lists.counts)), lists.counts > 0
    own[listed] = lists.values[lists.starts[listed]]
    return own


def dual_rows(lists, labels, m):
    """Yields (first example, the duals of some examples from it on), and gives up the lists of these examples."""
    size = max(DUALS_AT_A_TIME // m, 1)
    for first in range(0, len(labels), size):
        these = slice(first, first + size)
        counts, own = lists.counts[these], labels[these]
        duals, complete = np.zeros((len(counts), m)), counts == m
        others = np.arange(m - 1) + (np.arange(m - 1) >= own[complete][:, None])
        values = lists.values[spread(lists.starts[these][complete], counts[complete])].reshape(-1, m)
        duals[complete, own[complete]] = values[:, 0]
        duals[np.flatnonzero(complete)[:, None], others] = values[:, 1:]
        stored = np.where(complete, 0, counts)
        classes = lists.classes[spread(lists.places[these], stored)]
        duals[np.repeat(np.arange(len(counts)), stored), classes] = lists.values[spread(lists.starts[these], stored)]
        yield first, duals
        counts[:] = 0
        pack(lists, m)
