"""The right losses by plain loops over their definitions."""

from functools import partial

import numpy as np

from ...ground_truth import wsabie_losses
from ..judging.condition import Exactly
from ..proofs.rounding import tolerance
from ..wsabie.replay import DOUBT
from .conditions import in_three_orders


def class_confusion_loss(problem):
    """The definition: every example is compared with every other."""
    loss = wsabie_losses.class_confusion_loss(problem.predicted, problem.y)
    return Exactly({"loss": loss}, allowed=tolerance(np.float64, len(problem.y)))


def _hinges(name, problem):
    """Returns the definition, or None if rounding decides whether a margin is missed: the conditions judge alone."""
    options = problem.only("margin", "weighting", "last_violators")
    scores = problem.scores
    if not all(_is_decided(problem.margin, row) for row in scores):
        return None
    loss = getattr(wsabie_losses, name)(scores, problem.Y, **options)
    unit = max(loss, problem.margin + 2 * np.abs(scores).max()) or 1.0
    return Exactly({"loss": loss}, unit=unit, allowed=tolerance(np.float64, scores.size))


pairwise_loss = partial(_hinges, "pairwise_loss")
warp_loss = partial(_hinges, "warp_loss")


def _is_decided(margin, row):
    """True if each margin is met exactly, or missed by more than rounding, in any order of adding its terms."""
    hinges = in_three_orders(margin, row[:, None], row)
    close = np.abs(hinges).max(axis=0) <= DOUBT * (margin + np.abs(row).max())
    return not (hinges[:, close] != 0).any()
