"""Which block ranks which group of samples, and which rows move between blocks for that.

A group is ranked as a whole. The first block that has rows of a group ranks it, and its rows in later blocks are moved
there. The hinge of "zero_one" is a sum over samples, so that there each block takes its own part of a group.
"""

from typing import NamedTuple

import numpy as np

from ._checks import place_of

MOST_BLOCKS = 16  # of a matrix in memory: enough for a few workers, and the rounding does not depend on their number


class BlockGroups(NamedTuple):
    """The groups that a block ranks. Group g has the samples rows[starts[g]:starts[g + 1]] and the share shares[g].

    Samples 0, 1, ... are the rows of the block, followed by the rows that are moved to it.
    """

    relevant: np.ndarray  # bool, of all samples
    rows: np.ndarray
    starts: np.ndarray
    shares: np.ndarray  # in the mean over the groups of all blocks


class Move(NamedTuple):
    """Some rows of the block `source` are moved to the block `target`."""

    source: int
    target: int
    rows: np.ndarray


def number_of_blocks(n, rows, starts, whole):
    """Returns into how many blocks to cut a matrix in memory, so that few rows need to be moved. See `planned`."""
    count = min(n, MOST_BLOCKS)
    while count > 1:
        edges = np.array([n * block // count for block in range(count + 1)])
        if _most_given(edges, *_homes_and_targets(edges, rows, starts, whole))[1] < np.diff(edges).max():
            break
        count //= 2
    return count


def planned(edges, relevant, groups, rows, starts, shares, whole):
    """Returns the BlockGroups of each block, and the list of Move.

    Block b has the rows edges[b]..edges[b + 1] - 1. `rows`, `starts` and `shares` are as in BlockGroups, for all rows.
    If `whole`, a group is ranked by one block. ValueError if a block would be given more rows than the largest block
    has: then nearly all rows would move, and a worker needs a lot of memory.
    """
    home, target = _homes_and_targets(edges, rows, starts, whole)
    _refuse_many_moves(edges, groups, rows, home, target)
    order = np.argsort(target, kind="stable")
    ends = np.cumsum(np.bincount(target, minlength=len(edges) - 1))[:-1]
    group = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    if not whole:
        shares = shares / np.diff(starts)  # of a sample
    own, moves = [], []
    for block, places in enumerate(np.split(order, ends)):
        moved = np.sort(rows[places][home[places] != block])
        own.append(_groups_of_block(edges[block : block + 2], relevant, rows[places], group[places], shares, moved))
        if not whole:
            own[-1] = own[-1]._replace(shares=own[-1].shares * np.diff(own[-1].starts))
        sources = np.searchsorted(edges, moved, side="right") - 1
        moves += [Move(int(s), block, moved[sources == s] - edges[s]) for s in np.unique(sources)]
    return own, moves


def _groups_of_block(edge, relevant, rows, group, shares, moved):
    """Returns the BlockGroups of the rows of some groups, in the order of the groups. `moved` rows are ascending."""
    first, last = edge
    is_own = (rows >= first) & (rows < last)
    places = np.where(is_own, rows - first, last - first + np.searchsorted(moved, rows))
    begins = np.flatnonzero(np.diff(group, prepend=-1))
    flags = np.concatenate([relevant[first:last], relevant[moved]])
    return BlockGroups(flags, places, np.append(begins, len(rows)), shares[group[begins]])


def _homes_and_targets(edges, rows, starts, whole):
    """Returns the block that has each of the rows, and the block that ranks it."""
    home = np.searchsorted(edges, rows, side="right") - 1
    return home, np.repeat(home[starts[:-1]], np.diff(starts)) if whole else home


def _most_given(edges, home, target):
    """Returns the block that is given most rows, and how many these are."""
    given = np.bincount(target[home != target], minlength=len(edges) - 1)
    return int(given.argmax()), int(given.max())


def _refuse_many_moves(edges, groups, rows, home, target):
    crowded, given = _most_given(edges, home, target)
    if given > np.diff(edges).max():
        row = rows[np.flatnonzero((target == crowded) & (home != target))[0]]
        number = 0 if groups is None else groups[row]
        where = np.unique(home if groups is None else home[groups[rows] == number])
        raise ValueError(
            f"groups must not be spread over the blocks, as each is ranked by one: group {number} has rows in the "
            f"blocks {', '.join(map(str, where))}, and block {crowded} would be given {given} rows, more than the "
            f"{np.diff(edges).max()} of the largest block. Sort the rows by groups, or make the blocks larger"
        )


def refuse_wrong_flags(relevant, edges):
    """Raise ValueError if an entry of `relevant` is neither 0 nor 1. Other faults are left to the checks."""
    relevant = np.asarray(relevant)
    if relevant.shape == (edges[-1],) and relevant.dtype.kind in "iuf":
        wrong = (relevant != 0) & (relevant != 1)
        if wrong.any():
            row = int(np.argmax(wrong))
            raise ValueError(f"relevant must hold booleans, or 0 and 1, got {relevant[row]}{place_of(row, edges)}")
