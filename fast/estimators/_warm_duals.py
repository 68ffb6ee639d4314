"""Duals of one top-k SVM to start the next from: of the same examples, at another C or with other weights."""

from typing import NamedTuple

import numpy as np

FULL = 1 - 1e-5  # the share of its domain from which a row counts as held by it, in float32 too


class Solved(NamedTuple):
    """What tells whether the duals of a fit can be started from, and where they are in their domains."""

    classes: np.ndarray
    labels: np.ndarray
    boxes: np.ndarray  # C times the weight of each example: the size of its dual domain
    k: int
    kind: str


def starting_duals(duals, last, now):
    """The duals of the last fit moved into the domains of the next, or None if these are of another shape.

    A row that fills its domain is held by it, and is scaled as that is. Others stay as they are, which is where they
    are wanted as long as nothing else changes, and are scaled down only as far as a smaller domain asks for it. So a
    path of growing or shrinking C starts near its next optimum. A row whose label is another, or whose domain was the
    point 0, starts at 0.
    """
    same = (last.k, last.kind, len(last.labels)) == (now.k, now.kind, len(now.labels))
    if not same or not np.array_equal(last.classes, now.classes):
        return None
    usable = (last.boxes > 0) & (last.labels == now.labels)
    growth = np.divide(now.boxes, last.boxes, out=np.zeros(len(usable)), where=usable)
    filled = _filled(duals, last)
    at_most = np.divide(growth, filled, out=np.ones(len(usable)), where=filled > 0)
    scale = np.where(filled >= FULL, growth, np.minimum(usable, at_most))
    return (duals * scale[:, None]).astype(duals.dtype)  # float32 ones are known to be rounded


def _filled(duals, last):
    """The share of its domain that each row takes up: of the largest sum, or of the largest single coordinate."""
    boxes = np.where(last.boxes > 0, last.boxes, 1.0)
    filled = duals[np.arange(len(duals)), last.labels] / boxes
    if last.kind != "alpha" and last.k > 1:  # alpha bounds coordinates by the sum, whatever its size
        filled = np.maximum(filled, -last.k * duals.min(axis=1) / boxes)
    return filled
