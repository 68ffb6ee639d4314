"""The part of a block in the mean hinge of a ranking SVM: functions of their arguments, which run on the workers."""

from copy import copy
from time import perf_counter
from typing import NamedTuple

import numpy as np

from reference.problems import checks

from .._shared.examples import read_only
from .._shared.threads import one_blas_thread
from ..ranking import LOSSES
from ..ranking_svm import Products, Ranker
from ._tasks import aligned

# The places in what `plane_of_block` returns. SECONDS are those that the block has taken; the slope has the rest.
VALUE, OFFSET, SECONDS, SLOPE = 0, 1, 2, 3


class Part(NamedTuple):
    """What a block needs in each iteration beside its rows: its groups, and the rows that are moved to it."""

    ranker: Ranker
    moved: list  # of matrices, by ascending block that the rows come from


def known_loss(loss):
    """Returns a QSLoss, or None for "zero_one". A worker is sent the name: kernels know a loss by its identity."""
    return checks.qs_loss(loss, {**LOSSES, "zero_one": None})


def rows_to_move(X, lists):
    """Returns the matrices of these rows of a block, one for each list of rows."""
    return [X[rows] for rows in lists]


def part_of_block(own, loss, *moved):
    """Returns the Part of a block with these BlockGroups and moved rows; None if it has no groups."""
    if len(own.shares) == 0:
        return None
    relevant, rows, starts, shares = map(np.array, own)  # copies: what is sent may be read-only, or not aligned
    ranker = Ranker(relevant, rows, starts, known_loss(loss), shares)
    _ = (ranker.count, ranker.share) if ranker.loss is None else ranker.weight  # they are computed here, once
    ranker.copies = ranker.fixed = None  # each task has memory of its own
    return Part(ranker, list(moved))


def plane_of_block(X, part, weights):
    """Returns the part of a block in (mean hinge, offset, slope) at the weights, and its seconds, in one array."""
    began = perf_counter()
    plane = np.zeros(SLOPE + X.shape[1])
    if part is not None:
        with one_blas_thread():
            plane[[VALUE, OFFSET]], plane[SLOPE:] = _plane(X, part, weights)
    plane[SECONDS] = perf_counter() - began
    return plane


def _plane(X, part, weights):
    pieces = [Products(matrix) for matrix in (X, *map(aligned, part.moved))]
    scores = np.concatenate([piece.scores(weights) for piece in pieces])
    ranker = _usable(part.ranker)
    value, offset, gradient = (ranker.hinge_of_samples if ranker.loss is None else ranker.hinge)(scores)
    ends = np.cumsum([piece.parts[-1][1] for piece in pieces])[:-1]
    gradients = np.split(gradient, ends)
    return (value, offset), sum(piece.slope(own) for piece, own in zip(pieces, gradients, strict=True))


def _usable(ranker):
    """Returns a ranker of the same groups with memory of its own, so that several tasks may rank at the same time."""
    ranker = copy(ranker)
    for name, value in vars(ranker).items():
        setattr(ranker, name, aligned(value))
    ranker.groups = type(ranker.groups)(*map(aligned, ranker.groups))
    ranker.copies = np.empty(len(ranker.groups.rows))
    ranker.fixed = read_only(ranker.copies)
    return ranker
