"""The right multilabel losses by their definitions, the duals after one epoch, and the minimum by CVXPY."""

from functools import partial

import numpy as np

from ...ground_truth import multilabel as truths
from ..judging.condition import Exactly
from ..proofs.rounding import answer_dtype, tolerance
from ..topk_svm.truth import minimum_of

PROBLEM = ("loss", "smoothing", "regularization", "sample_weight")


def _loss(name, part, problem):
    right = getattr(truths, name)(problem.scores.astype(np.float64), problem.Y, **problem.only("smoothing"))
    unit = max(1.0, float(np.abs(problem.scores).max()))
    if name == "multilabel_hinge_gradient":  # what rounding of the scores changes in u and v
        unit /= problem.smoothing or 1.0
    return Exactly({part: right}, unit=unit, allowed=0.0 if name == "multilabel_error" else None)


multilabel_error = partial(_loss, "multilabel_error", "errors")
multilabel_hinge = partial(_loss, "multilabel_hinge", "losses")
multilabel_hinge_gradient = partial(_loss, "multilabel_hinge_gradient", "gradient")
multilabel_entropy = partial(_loss, "multilabel_entropy", "losses")
multilabel_entropy_gradient = partial(_loss, "multilabel_entropy_gradient", "gradient")


def fit_multilabel(problem):
    """Returns the duals after one epoch of the hinge if that is what was asked, or the minimum; None if it is large."""
    in_order = np.ndim(problem.order) == 1 and problem.max_epochs == 1
    if not in_order or problem.loss != "hinge" or problem.sample_weight is not None:
        return minimum_of(truths.fit_multilabel, [problem.X, problem.Y], problem.only(*PROBLEM))
    duals = one_epoch(problem)
    allowed = 100 * tolerance(answer_dtype(problem.X), len(duals))
    detail, reason = "the duals after one epoch in this order are off by {:.1e}", "differs from coordinate ascent"
    return Exactly({"duals": duals}, 0.0, float(np.abs(duals).max()), allowed, reason, detail)


def one_epoch(problem):
    """The duals of the hinge after one step for each example of the order from 0, each by an exact projection."""
    X, Y, duals = problem.X, problem.Y != 0, np.zeros(problem.Y.shape)
    radius = 1 / (problem.regularization * len(Y))
    for i in problem.order:
        member = Y[i]
        if not member.any() or member.all():
            continue
        scores = X[i] @ (X.T @ duals) - X[i] @ X[i] * duals[i]
        curvature = X[i] @ X[i] + problem.smoothing / radius
        b, c = (0.5 - scores[member]) / curvature, (0.5 + scores[~member]) / curvature
        duals[i, member], v = truths.project_bipartite_simplex(b, c, radius)
        duals[i, ~member] = -v
    return duals
