"""The right scores unit by unit, and the minimum of the first update by CVXPY."""

import numpy as np

from ...ground_truth import layerwise as truths
from ...problems import layerwise as problems
from ..judging.condition import Exactly, Minimum
from ..proofs.rounding import answer_dtype, tolerance
from ..topk_svm.truth import CVXPY_ERROR
from . import bounds

LARGEST_LOOPED, LARGEST_PROGRAMME = 3000, 5  # numbers in X, examples of a fit
CONVEX = ("X", "y", "layers", "weights", "loss", "groups", "regularization", "proximity")


def network_scores(problem):
    """The scores in float64, unit by unit if there are few."""
    if problem.X.size <= LARGEST_LOOPED:
        right = truths.network_scores(**vars(problem) | {"X": problem.X.astype(np.float64)})
    else:
        right = bounds.true_scores(problems.network_scores(**vars(problem)))
    unit, allowed = max(1.0, float(np.abs(right).max())), tolerance(answer_dtype(problem.X), problem.X.size)
    return Exactly({"scores": right}, unit=unit, allowed=allowed)


def fit_layerwise(problem):
    """The minimum of the first update; None if there are too many examples, or the solver fails."""
    if len(problems.fit_layerwise(**vars(problem)).rows) > LARGEST_PROGRAMME:
        return None
    try:
        value = truths.convex_minimum(**problem.only(*CONVEX), k=0)[1]
    except RuntimeError:
        return None
    return Minimum(value, max(CVXPY_ERROR, tolerance(answer_dtype(problem.X), problem.X.size)))
