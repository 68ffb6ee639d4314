"""Warm starts of the top-k SVM: duals of an earlier fit of the same examples, with another C or other weights."""

from typing import NamedTuple

import numpy as np

ENTROPY = "entropy"  # its domain is that of "alpha", in whose interior all its optima are
AT_BOUNDARY = 1 - 1e-5  # a row that fills so much of its dual domain is at its boundary; float32 rounds less than 1e-5


class Solved(NamedTuple):
    """A fit, as far as it decides whether and how its duals can start another one."""

    classes: np.ndarray
    labels: np.ndarray
    boxes: np.ndarray  # C times the weight of each example, (n,): the size of its dual domain
    k: int
    domain: str  # the kind of the hinge, smooth or not, or ENTROPY


def starting_duals(duals, last, now):
    """Returns the duals of fit `last`, moved into the domains of fit `now`; None if they cannot start that fit.

    They cannot if n, the classes, k or the domain differ. Otherwise each row is moved on its own:

    * A row at the boundary of its domain is scaled as its domain is.
    * A row in the interior stays as it is: nothing that would move its optimum has changed. It is scaled down only if
      it would lie outside a smaller domain.
    * A row whose label has changed, or whose domain was the point 0, starts at 0.

    On a path of growing or shrinking C, each fit thus starts close to its optimum.
    """
    same = (last.k, last.domain, len(last.labels)) == (now.k, now.domain, len(now.labels))
    if not same or not np.array_equal(last.classes, now.classes):
        return None
    usable = (last.boxes > 0) & (last.labels == now.labels)
    growth = np.divide(now.boxes, last.boxes, out=np.zeros(len(usable)), where=usable)
    filled = _filled(duals, last)
    at_most = np.divide(growth, filled, out=np.ones(len(usable)), where=filled > 0)
    scale = np.where(filled >= AT_BOUNDARY, growth, np.minimum(usable, at_most))
    if hasattr(duals, "tocsr"):
        values = (duals.data * np.repeat(scale, np.diff(duals.indptr))).astype(duals.dtype)
        return type(duals)((values, duals.indices, duals.indptr), shape=duals.shape)
    return (duals * scale[:, None]).astype(duals.dtype)  # the fit allows for the rounding of float32


def rows_with_duals(duals):
    """Returns the indices of the rows, dense or CSR, that are not 0."""
    return np.flatnonzero(np.diff(duals.indptr) if hasattr(duals, "tocsr") else duals.any(axis=1))


def _filled(duals, last):
    """Returns the share (n,) of its domain that each row fills: by its sum, or by its largest coordinate."""
    boxes = np.where(last.boxes > 0, last.boxes, 1.0)
    own, least = _own_and_least(duals, last.labels)
    filled = own / boxes
    if last.domain not in ("alpha", ENTROPY) and last.k > 1:  # theirs bound it by a share of the row's own sum
        filled = np.maximum(filled, -last.k * least / boxes)
    return filled


def _own_and_least(duals, labels):
    """Returns the dual of the own class (n,) and the least dual (n,) of each row, dense or CSR. The least is <= 0."""
    if not hasattr(duals, "tocsr"):
        return duals[np.arange(len(duals)), labels], duals.min(axis=1)
    own, least = np.zeros((2, len(labels)), duals.dtype)
    rows = np.repeat(np.arange(len(labels)), np.diff(duals.indptr))
    np.minimum.at(least, rows, duals.data)
    of_own = duals.indices == labels[rows]
    own[rows[of_own]] = duals.data[of_own]
    return own, least
