"""The part of a block in the mean hinge of a ranking SVM: pure functions, which run on the workers."""

from time import perf_counter
from typing import NamedTuple

import numpy as np

from reference import contract

from .._shared.threads import one_blas_thread
from ..ranking import LOSSES
from ..ranking_svm import Products, Ranker

# What `plane_of_block` writes before the slope. The seconds are those that the block has taken.
VALUE, OFFSET, SECONDS, SLOPE = 0, 1, 2, 3


class Part(NamedTuple):
    """What a block needs in each iteration beside its features: its groups, and the features of rows moved to it."""

    ranker: Ranker
    moved: list  # of matrices, by ascending block that the rows come from


class Rows(NamedTuple):
    """Rows of one block that are moved to another."""

    X: np.ndarray
    relevant: np.ndarray
    groups: np.ndarray


def known_loss(loss):
    """Returns a QSLoss, or None for "zero_one". A worker finds it by its name: the kernels know it by its identity."""
    return contract.qs_loss(loss, {**LOSSES, "zero_one": None})


def rows_of_groups(X, relevant, groups, numbers):
    """Returns the Rows of a block that belong to the groups with these numbers."""
    rows = np.flatnonzero(np.isin(groups, numbers))
    return Rows(X[rows], relevant[rows], groups[rows])


def part_of_block(relevant, groups, numbers, shares, loss, *moved):
    """Returns the Part of a block that ranks the groups `numbers`, ascending, with these shares; None if there is none.

    `moved` are the Rows that it is given, by ascending block that they come from.
    """
    if len(numbers) == 0:
        return None
    relevant = np.concatenate([relevant, *(rows.relevant for rows in moved)])
    groups = np.concatenate([groups, *(rows.groups for rows in moved)])
    place = np.minimum(np.searchsorted(numbers, groups), len(numbers) - 1)
    own = np.flatnonzero(numbers[place] == groups)
    order = np.argsort(place[own], kind="stable")
    starts = np.searchsorted(place[own[order]], np.arange(len(numbers) + 1))
    ranker = Ranker(relevant, own[order], starts, known_loss(loss), shares)
    _ = (ranker.count, ranker.share) if ranker.loss is None else ranker.weight  # they are computed here, once
    ranker.copies = ranker.fixed = None  # each task has memory of its own
    return Part(ranker, [rows.X for rows in moved])


def plane_of_block(X, part, weights):
    """Returns the part of a block in (mean hinge, offset, slope) at the weights, after its seconds, in one array."""
    began = perf_counter()
    plane = np.zeros(SLOPE + X.shape[1])
    if part is not None:
        with one_blas_thread():
            plane[[VALUE, OFFSET]], plane[SLOPE:] = _plane(X, part, weights)
    plane[SECONDS] = perf_counter() - began
    return plane


def _plane(X, part, weights):
    pieces = [Products(matrix) for matrix in (X, *part.moved)]
    scores = np.concatenate([piece.scores(weights) for piece in pieces])
    ranker = part.ranker.with_memory()
    hinge = ranker.hinge_of_samples if ranker.loss is None else ranker.hinge
    value, offset, gradient = hinge(scores)
    ends = np.cumsum([piece.parts[-1][1] for piece in pieces])[:-1]
    gradients = np.split(gradient, ends)
    return (value, offset), sum(piece.slope(part) for piece, part in zip(pieces, gradients, strict=True))
