"""The right losses by every set of rivals, the duals after one epoch by bisection, and the minimum by CVXPY."""

from functools import partial
from math import comb

import numpy as np

from ...ground_truth import entropy_fits, entropy_losses
from ..judging.condition import Exactly
from ..proofs.rounding import answer_dtype, tolerance
from ..topk_svm.truth import MOST_CHOICES, minimum_of

PROBLEM = ("k", "regularization", "sample_weight")


def _loss(name, part, problem):
    rivals, k = problem.scores.shape[1] - 1, problem.k
    if sum(comb(rivals, size) for size in range(k)) > MOST_CHOICES:
        return None  # too many sets of rivals; the conditions judge alone
    right = getattr(entropy_losses, name)(problem.scores.astype(np.float64), problem.y, problem.k)
    return Exactly({part: right}, unit=max(1.0, float(np.abs(problem.scores).max())))


topk_entropy = partial(_loss, "topk_entropy", "losses")
topk_entropy_gradient = partial(_loss, "topk_entropy_gradient", "gradient")
truncated_topk_entropy = partial(_loss, "truncated_topk_entropy", "losses")
truncated_topk_entropy_gradient = partial(_loss, "truncated_topk_entropy_gradient", "gradient")


def _fit(name, problem):
    """Returns the duals after one epoch if that is what was asked, or the minimum; None if the instance is large."""
    data = list(problem.only("X", "K", "y").values())
    if np.ndim(problem.order) != 1 or problem.max_epochs != 1 or problem.sample_weight is not None:
        return minimum_of(getattr(entropy_fits, name), data, problem.only(*PROBLEM))
    duals = one_epoch(problem)
    allowed = 1000 * tolerance(answer_dtype(data[0]), len(duals))
    detail = "the duals after one epoch in this order are off by {:.1e}"
    return Exactly({"duals": duals}, 0.0, float(np.abs(duals).max()), allowed, "differs from algorithm 1", detail)


fit_topk_entropy = partial(_fit, "fit_topk_entropy")
fit_topk_entropy_kernel = partial(_fit, "fit_topk_entropy_kernel")


def one_epoch(problem):
    """The duals after one step for each example of the order from 0, each by bisection."""
    K = problem.K if hasattr(problem, "K") else problem.X @ problem.X.T
    y, n = problem.y, len(problem.y)
    radius, duals = 1 / (problem.regularization * n), np.zeros((n, int(y.max()) + 1))
    for i in problem.order:
        scores, rivals = K[i] @ duals - K[i, i] * duals[i], np.arange(duals.shape[1]) != y[i]
        u = entropy_fits.best_shares(scores[rivals] - scores[y[i]], radius * K[i, i], problem.k)
        duals[i, rivals], duals[i, y[i]] = -radius * u, radius * u.sum()
    return duals


def fit_truncated_topk_entropy(problem):
    """The minimum for k = 1, for which the objective is convex, up to the tolerance."""
    if problem.k > 1:
        return None
    data = [problem.X, problem.y]
    minimum = minimum_of(entropy_fits.fit_topk_entropy, data, problem.only(*PROBLEM))
    return minimum and minimum._replace(doubt=max(minimum.doubt, problem.tol))
