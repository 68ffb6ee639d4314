"""The groups of samples of a ranking SVM over blocks of rows: what each block holds, and which block ranks which group.

A group is ranked as a whole. The first block that has rows of a group ranks it; its rows in later blocks are moved
there. The hinge of "zero_one" is a sum over samples, so that there each block takes its own part of a group.
"""

import warnings
from typing import NamedTuple

import numpy as np

from reference import contract

CALLER = 4  # stack level of a warning: 1 is `_warn_of_groups`, 2 `planned`, 3 a public function, 4 its caller


class GroupFacts(NamedTuple):
    """What a block holds of each of its groups, in ascending order of their numbers."""

    numbers: np.ndarray
    sizes: np.ndarray
    positives: np.ndarray
    least: np.ndarray  # of the weights of the group's samples
    most: np.ndarray


class Move(NamedTuple):
    """The rows of some groups go from one block to another."""

    source: int
    target: int
    numbers: np.ndarray


class Plan(NamedTuple):
    """Block b ranks the groups numbers[b], which have the shares shares[b] in the mean over groups."""

    numbers: list
    shares: list
    moves: list  # of Move, by ascending source and target


def group_facts(relevant, groups, weights):
    """Returns the GroupFacts of a block with these flags, numbers of groups and weights of its samples."""
    order = np.argsort(groups, kind="stable")
    groups, weights = groups[order], weights[order]
    starts = np.flatnonzero(np.append(True, groups[1:] != groups[:-1]))
    return GroupFacts(
        groups[starts],
        np.diff(starts, append=len(groups)),
        np.add.reduceat(relevant[order].astype(np.int64), starts),
        np.minimum.reduceat(weights, starts),
        np.maximum.reduceat(weights, starts),
    )


def planned(facts, whole):
    """Returns the Plan for blocks with these GroupFacts. If `whole`, a group is ranked by one block.

    Groups without both classes are left out, with a warning. ValueError if none has both, if the weights in a group
    differ, or if too many rows would have to be moved to one block.
    """
    blocks = np.repeat(np.arange(len(facts)), [len(of_block.numbers) for of_block in facts])
    parts = GroupFacts(*(np.concatenate(column) for column in zip(*facts, strict=True)))
    numbers, group = np.unique(parts.numbers, return_inverse=True)
    sizes, positives = (np.bincount(group, column).astype(np.int64) for column in (parts.sizes, parts.positives))
    kept = (positives > 0) & (positives < sizes)
    _warn_of_groups(kept)
    shares = _shares(numbers, group, parts, kept)
    first = np.full(len(numbers), len(facts))
    np.minimum.at(first, group, blocks)
    owner = first[group] if whole else blocks
    ranked = kept[group]
    share = shares[group] if whole else shares[group] * (parts.sizes / sizes[group])
    moves = _moves(facts, blocks, owner, parts, ranked)
    own = ranked & (owner == blocks)
    ends = np.cumsum(np.bincount(blocks[own], minlength=len(facts)))[:-1]
    return Plan(np.split(parts.numbers[own], ends), np.split(share[own], ends), moves)


def _warn_of_groups(kept):
    """Warn of the groups that do not have both classes."""
    if not kept.any():
        raise ValueError("relevant must have both classes in at least one group, got none")
    if not kept.all():
        message = f"{np.count_nonzero(~kept)} of the {len(kept)} groups do not have both classes and are left out"
        warnings.warn(message, stacklevel=CALLER)


def _shares(numbers, group, parts, kept):
    """Returns the shares (groups,) of the groups in their mean, 0 for those that are left out."""
    least, most = np.full(len(numbers), np.inf), np.full(len(numbers), -np.inf)
    np.minimum.at(least, group, parts.least)
    np.maximum.at(most, group, parts.most)
    if (least < most)[kept].any():
        number = numbers[kept & (least < most)][0]
        raise ValueError(
            f"group_weight must be the same for all samples of a group: a ranking has one loss, got several in group "
            f"{number}"
        )
    shares, starts = np.zeros(len(numbers)), np.arange(np.count_nonzero(kept) + 1)
    shares[kept] = contract.group_shares(least[kept], len(starts) - 1, starts[:-1], starts)
    return shares


def _moves(facts, blocks, owner, parts, ranked):
    """Returns the list of Move, if no block is given more rows than the largest block has."""
    away = np.flatnonzero(ranked & (owner != blocks))
    source, target = blocks[away], owner[away]
    largest = max(of_block.sizes.sum() for of_block in facts)
    given = np.bincount(target, parts.sizes[away], minlength=len(facts))
    if given.max() > largest:
        crowded = int(given.argmax())
        number = parts.numbers[away[target == crowded][0]]
        where = ", ".join(map(str, blocks[parts.numbers == number]))
        raise ValueError(
            f"groups must be in few blocks, as each is ranked by one: group {number} has rows in the blocks {where}, "
            f"and block {crowded} would be given {int(given[crowded])} rows, more than the {largest} of the largest "
            f"block. Sort the rows by groups, or make the blocks larger"
        )
    pairs = sorted(set(zip(source.tolist(), target.tolist(), strict=True)))
    return [Move(s, t, parts.numbers[away[(source == s) & (target == t)]]) for s, t in pairs]
