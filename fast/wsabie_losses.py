"""The twin of `reference.wsabie_losses`: mistakes are counted by sorting, violators by compiled loops."""

from __future__ import annotations

import numpy as np

from reference.problems import checks
from reference.problems import wsabie_losses as problems
from reference.problems.checks.types import Array, Matrix

from ._shared.examples import read_only
from ._wsabie.losses import mean_hinges, weighted_hinges

__all__ = ["class_confusion_loss", "pairwise_loss", "warp_loss"]


@checks.documented_by(problems.class_confusion_loss)
def class_confusion_loss(predicted: Array, y: Array) -> float:
    r"""Returns the mean class-confusion loss of predictions.

    Notes
    -----
    The twin of `reference.class_confusion_loss`: pairs of label and prediction are sorted and counted. The cost is O(n
    log n).

    The usual loss counts a mistake as 1, which estimates :math:`P(Y \ne c(x))` from one label. The share estimates it
    with less noise where classes are often confused. If one of eleven examples is classified as class 1, the mistake
    costs 10/11; if all eleven are, the mistakes cost nothing.
    """
    predicted, y = problems.class_confusion_loss(predicted, y)
    order = np.lexsort((predicted, y))
    y, predicted = y[order], predicted[order]
    new_label = np.append(True, y[1:] != y[:-1])
    new_pair = np.append(True, (predicted[1:] != predicted[:-1]) | new_label[1:])
    labelled = _lengths(new_label)[np.cumsum(new_label) - 1]
    alike = _lengths(new_pair)[np.cumsum(new_pair) - 1]
    return float(np.mean(np.where(predicted != y, (labelled - alike) / labelled, 0.0)))


@checks.documented_by(problems.pairwise_loss)
def pairwise_loss(scores: Array, Y: Matrix, *, margin: float = 1.0) -> float:
    """Returns the mean hinge over examples, their labels and all other classes.

    Notes
    -----
    The twin of `reference.pairwise_loss`, compiled. It is what `fit_wsabie` minimises with AUC sampling. The cost is
    O(n m) times the number of labels of an example.
    """
    scores, sets, margin = problems.pairwise_loss(scores, Y, margin=margin)
    losses = mean_hinges(read_only(scores), sets.classes, sets.starts, margin)
    return float(np.mean(losses))


@checks.documented_by(problems.warp_loss)
def warp_loss(
    scores: Array, Y: Matrix, *, margin: float = 1.0, weighting: str = "harmonic", last_violators: int = 0
) -> float:
    """Returns the mean over examples of the sum of weighted hinges over labels and violators.

    Notes
    -----
    The twin of `reference.warp_loss`. It stores for each class only the last example with this label, and finds its
    violators again from the scores. The cost is O(n m) times the number of labels of an example, and for each label
    O(m) more for each class that a chain leads to.
    """
    problem = problems.warp_loss(scores, Y, margin=margin, weighting=weighting, last_violators=last_violators)
    scores, sets, margin, weighting, Q = problem
    harmonic = np.cumsum(1 / np.arange(1, sets.n_classes + 1))
    weights = harmonic if weighting == "harmonic" else np.ones(sets.n_classes)
    Q = min(Q, sets.n_classes)
    losses = weighted_hinges(read_only(scores), sets.classes, sets.starts, margin, weights, Q)
    return float(np.mean(losses))


def _lengths(begins):
    """The length of each run, where `begins` marks the first entry of each."""
    return np.diff(np.append(np.flatnonzero(begins), len(begins)))
