"""Shrinking for the hinge: which duals may move before the next look at all scores, listed for each example."""

from typing import NamedTuple

import numpy as np

from .._shared.jit import borrowing_inlined, borrowing_kernel
from .._shared.order import heap_of_largest
from .rows import depths_of_near, write_near

# How far, in units of the margin, a class may be from having a dual and still be listed. A pass changes the scores, and
# a class that is not listed cannot move before the next look.
SLACK = 0.1
# While the weights are poor, nearly all classes are that near. Then the nearest are listed: FEWEST of them, or so
# many for each class that has a dual.
FEWEST, FEWEST_OF_DUALS = 16, 2


class DualLists(NamedTuple):
    """Listed duals: those of example rows[p] are the entries starts[p]..starts[p + 1] - 1, its positives first."""

    rows: np.ndarray
    starts: np.ndarray
    positives: np.ndarray  # how many of the entries of each example
    classes: np.ndarray  # int32
    values: np.ndarray


@borrowing_kernel
def mark_movable(problem, duals, scores, first, marks, work):
    """Mark the classes that may move, for the examples first, first + 1, ... with these duals and scores."""
    for p in range(len(scores)):
        i = first + p
        radius, norm, member, row = problem.radii[i], problem.examples.squared_norms[i], problem.Y[i], work.scores
        if radius > 0 and norm > 0:
            curvature, w, z = norm + problem.smoothing / radius, 0.0, 0.0
            for j in range(len(row)):
                row[j] = (scores[p, j] - norm * duals[p, j]) / curvature
            gap, reach = write_near(row, member, 1 / curvature, work), SLACK / curvature
            if gap > 0:
                w, z = depths_of_near(member, radius, gap, work)
            if gap > -reach:
                least = _least_marked(duals[p], member, w, z, reach, work)
                for j in range(len(row)):
                    marks[p, j] = work.near[j] >= least


@borrowing_inlined
def _least_marked(duals, member, w, z, reach, work):
    """Add its depth to each of `near`. Returns the least that is marked."""
    having, near = np.int64(0), work.near
    for j in range(len(duals)):
        having += duals[j] != 0
        near[j] += w if member[j] else z
    top = work.changes[: min(max(FEWEST, FEWEST_OF_DUALS * having), len(duals))]
    heap_of_largest(near, len(duals), top)
    return max(top[0], -reach)


def listed_duals(problem, duals, marks):
    """Returns the DualLists of the marked classes, and of those that have duals."""
    marks |= (duals != 0) & (problem.examples.squared_norms > 0)[:, None]
    rows = np.flatnonzero(marks.any(axis=1))
    return _lists_of_marks(problem, duals, rows, marks[rows])


def lists_of_rows(problem, duals, rows):
    """Returns the DualLists of all classes of these examples."""
    return _lists_of_marks(problem, duals, rows, np.ones((len(rows), duals.shape[1]), bool))


def _lists_of_marks(problem, duals, rows, marks):
    """Returns the DualLists of the marked classes (len(rows), m) of some examples."""
    starts = np.append(0, np.cumsum(np.count_nonzero(marks, axis=1)))
    positives = np.count_nonzero(marks & problem.Y[rows], axis=1)
    lists = DualLists(rows, starts, positives, np.empty(starts[-1], np.int32), np.empty(starts[-1]))
    _fill(lists, problem.Y, duals, marks)
    return lists


@borrowing_kernel
def _fill(lists, Y, duals, marks):
    """Write the classes and values of the marked duals."""
    for p in range(len(lists.rows)):
        i = lists.rows[p]
        positive, negative = lists.starts[p], lists.starts[p] + lists.positives[p]
        for j in range(marks.shape[1]):
            if marks[p, j]:
                e = positive if Y[i, j] else negative
                lists.classes[e], lists.values[e] = j, duals[i, j]
                positive += Y[i, j]
                negative += not Y[i, j]


@borrowing_kernel
def write_back(lists, duals):
    """Write the listed duals to the duals (n, m)."""
    for p in range(len(lists.rows)):
        for e in range(lists.starts[p], lists.starts[p + 1]):
            duals[lists.rows[p], lists.classes[e]] = lists.values[e]
