"""The losses that the Wsabie family minimises, on a whole data set.

Some classes can hardly be told apart, and mistakes between them are mostly noise. The class-confusion loss weights a
mistake by how rare it is: if all examples of a class are classified as the same other class, the mistakes cost nothing.
The online form ignores a violator that violated the margin of the class already when the class was seen last.

Source: Paper 003 (Gupta, Bengio, Weston: Training Highly Multiclass Classifiers, 2014), sections 3 to 6.
"""

from __future__ import annotations

import numpy as np

from .problems import checks
from .problems import wsabie_losses as problems
from .problems.checks.types import Array, Matrix

__all__ = ["class_confusion_loss", "pairwise_loss", "warp_loss"]


@checks.documented_by(problems.class_confusion_loss)
def class_confusion_loss(predicted: Array, y: Array) -> float:
    r"""Returns the mean class-confusion loss of predictions.

    .. math::

        \tfrac1n \sum_{t=1}^n [c_t \ne y_t] \cdot
        \frac{\# \{ i : y_i = y_t, \; c_i \ne c_t \}}{\# \{ i : y_i = y_t \}}

    So a mistake costs the share of the examples of class :math:`y_t` that are not classified as :math:`c_t`.

    Notes
    -----
    The usual loss counts a mistake as 1, which estimates :math:`P(Y \ne c(x))` from one label. The share estimates it
    with less noise where classes are often confused. If one of eleven examples is classified as class 1, the mistake
    costs 10/11; if all eleven are, the mistakes cost nothing. The cost is :math:`O(n^2)`, as each mistake is counted by
    itself.
    """
    predicted, y = problems.class_confusion_loss(predicted, y)
    costs = [0.0 if c == label else np.mean(predicted[y == label] != c) for c, label in zip(predicted, y, strict=True)]
    return float(np.mean(costs))


@checks.documented_by(problems.pairwise_loss)
def pairwise_loss(scores: Array, Y: Matrix, *, margin: float = 1.0) -> float:
    r"""Returns the mean hinge over examples, their labels and all other classes.

    .. math::

        \text{mean over examples, labels } p \text{ and other classes } q \text{ of } \;
        \max(0, \; \text{margin} - f_p + f_q)

    Here :math:`f_g` is the score of class g. Each example has the same share of the mean.

    Notes
    -----
    This is what `fit_wsabie` minimises with AUC sampling. The cost is O(n m) times the number of labels of an example.
    """
    scores, sets, margin = problems.pairwise_loss(scores, Y, margin=margin)
    losses = []
    for row, labels in _with_labels(scores, sets):
        others = np.delete(row, labels)
        with np.errstate(over="ignore"):  # an overflow is refused later
            losses.append(np.mean([np.maximum(margin - row[label] + others, 0.0) for label in labels]))
    return float(np.mean(losses))


@checks.documented_by(problems.warp_loss)
def warp_loss(
    scores: Array, Y: Matrix, *, margin: float = 1.0, weighting: str = "harmonic", last_violators: int = 0
) -> float:
    r"""Returns the mean over examples of the sum of weighted hinges over labels and violators.

    .. math::

        \tfrac1n \sum_{t=1}^n \sum_{p \text{ a label of } t} \; \sum_{q \text{ a violator of } p}
        w \, \max(0, \; \text{margin} - f_p + f_q)

    Here :math:`f_g` is the score of class g. Class q violates the margin for label p if the hinge is positive and q is
    no label.

    With `last_violators` Q > 0, some violators are left out. Each class has last violators: the classes that violated
    its margin at the last example that had it as a label. A violator is left out if at most Q steps lead to it from the
    label, each from a class to one of its last violators.

    Notes
    -----
    The cost is O(n m) times the number of labels of an example, and :math:`O(m^2)` more for the chains of each label.
    """
    problem = problems.warp_loss(scores, Y, margin=margin, weighting=weighting, last_violators=last_violators)
    scores, sets, margin, weighting, Q = problem
    last, losses = [set() for _ in range(sets.n_classes)], []
    for row, labels in _with_labels(scores, sets):
        found, loss = {}, 0.0
        for label in labels:
            with np.errstate(over="ignore"):  # an overflow is refused later
                hinges = np.maximum(margin - row[label] + row, 0.0)
            found[label] = {int(g) for g in np.flatnonzero(hinges) if g not in labels}
            weight = sum(1 / i for i in range(1, len(found[label]) + 1)) if weighting == "harmonic" else 1.0
            with np.errstate(over="ignore"):
                loss += weight * np.sum(hinges[sorted(found[label] - _reached(last, label, Q))])
        for label in labels:
            last[label] = found[label]
        losses.append(loss)
    return float(np.mean(losses))


def _with_labels(scores, sets):
    """Yields the scores and the labels of each example that has a label and lacks another."""
    for t, row in enumerate(scores):
        if 0 < len(sets.of(t)) < len(row):
            yield row, sets.of(t)


def _reached(last, label, Q):
    """The classes to which 1, 2, ..., Q steps lead from the label, each from a class to one of its last violators."""
    reached, newest = set(), {int(label)}
    for _ in range(Q):
        newest = {v for g in newest for v in last[g]} - reached
        if not newest:
            break
        reached |= newest
    return reached
