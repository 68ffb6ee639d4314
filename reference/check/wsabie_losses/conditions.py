"""Conditions of the losses: their definitions, computed in another way than by plain loops."""

import numpy as np

from ..judging.condition import Condition
from ..proofs.rounding import relative, tolerance
from ..wsabie.bounds import indicator


def class_confusion_loss(problem, loss):
    """The loss is the sum over cells off the diagonal of the confusion matrix of  N (1 - N / row)."""
    cells = np.column_stack([np.asarray(problem.y, dtype=np.int64), np.asarray(problem.predicted, dtype=np.int64)])
    _, row_of_example, rows = np.unique(cells[:, 0], return_inverse=True, return_counts=True)
    _, first, counts = np.unique(cells, axis=0, return_index=True, return_counts=True)
    lost = counts * (1 - counts / rows[row_of_example[first]])
    apart = abs(float(loss) - lost[cells[first, 0] != cells[first, 1]].sum() / len(cells))
    what = "difference from the sum over the confusion matrix"
    return [Condition(apart, tolerance(np.asarray(loss).dtype, len(cells)), what)]


def pairwise_loss(problem, loss):
    """The loss is the mean of ``(h + |h|) / 2`` over all pairs, where h is the hinge without the maximum."""
    means = []
    for row, labels in _with_labels(problem):
        h = problem.margin - row[labels][:, None] + row[~labels]
        means.append((h + np.abs(h)).mean() / 2)
    apart = relative(abs(float(loss) - np.mean(means)), _spread(problem))
    what = "difference from the mean hinge of all pairs, relative to the margin and the spread of the scores"
    return [Condition(apart, tolerance(np.asarray(loss).dtype, problem.scores.size), what)]


def warp_loss(problem, loss):
    """The loss is the sum over the violators.

    If rounding decides whether some margin is missed, the loss may lie between two bounds. Without last violators these
    are the losses with and without such violators. With them, they are 0 and the loss in which none is remembered.
    """
    bounds, unsure = _bounds(problem)
    right, low, most = bounds
    if unsure:
        right = np.clip(float(loss), low if problem.last_violators == 0 else 0.0, most)
    apart = relative(abs(float(loss) - right), max(most, _spread(problem)))
    what = "difference from the sum over the violators, relative to the largest possible loss"
    note = "Where rounding decides whether a margin is missed, every loss between both decisions counts as right."
    return [Condition(apart, tolerance(np.asarray(loss).dtype, problem.scores.size), what, note)]


def _bounds(problem):
    """Returns ([the loss, that of all violators that are sure, of all that may be], whether rounding decides).

    Violators that are remembered, and so ignored, are left out of the first one only.
    """
    m, margin, Q = problem.scores.shape[1], problem.margin, problem.last_violators
    links, unsure, bounds = {}, False, []
    weights = np.append(0.0, np.cumsum(1 / np.arange(1, m))) if problem.weighting == "harmonic" else np.ones(m)
    for row, labels in _with_labels(problem):
        others, now, terms = np.flatnonzero(~labels), links.copy(), []
        for label in np.flatnonzero(labels):
            hinges = in_three_orders(margin, row[label], row[others])
            sure, may = (hinges > 0).all(axis=0), (hinges > 0).any(axis=0)
            kept = sure & ~_reached(links, label, Q, m)[others]
            sums = (hinges[0][which].sum() for which in (sure & kept, sure, may))
            of = weights[[sure.sum(), sure.sum(), may.sum()]]
            terms.append([weight * total for weight, total in zip(of, sums, strict=True)])
            unsure, now[label] = unsure or (sure != may).any(), others[sure]
        links = now
        bounds.append(np.sum(terms, axis=0))
    return np.mean(bounds, axis=0).tolist(), unsure


def in_three_orders(margin, own, others):
    """Returns the hinges without the cut at 0, added up in each order."""
    return np.array([margin - own + others, margin + (others - own), (margin + others) - own])


def _reached(links, label, last_violators, m):
    """Returns an array (m,) that tells if a class is reached from the label by up to so many links."""
    seen, frontier = np.zeros(m, dtype=bool), [label]
    for _ in range(last_violators):
        new = np.zeros(m, dtype=bool)
        for g in frontier:
            new[links.get(g, [])] = True
        frontier = np.flatnonzero(new & ~seen)
        if not frontier.size:
            break
        seen |= new
    return seen


def _with_labels(problem):
    """Yields the scores and the labels of each example with at least one label, but not all."""
    scores = problem.scores.astype(np.float64)
    member = indicator(problem.Y, scores.shape[1])
    return ((row, labels) for row, labels in zip(scores, member, strict=True) if labels.any() and not labels.all())


def _spread(problem):
    return problem.margin + 2 * np.abs(problem.scores).max()
