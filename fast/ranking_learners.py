"""Direct loss minimisation and latent windows, by grouped inference. `reference.ranking_learners` explains both."""

from __future__ import annotations

import numpy as np

from reference.problems import checks
from reference.problems import ranking_learners as problems
from reference.problems.checks import QSLoss
from reference.problems.checks.types import Array, Matrix

from ._shared.threads import one_blas_thread, threads
from .ranking import _known_loss
from .ranking_svm import Products, Ranker, fit_ranking_svm

__all__ = ["fit_direct_loss", "fit_latent_ranking_svm"]


@checks.documented_by(problems.fit_direct_loss)
def fit_direct_loss(
    X: Matrix, relevant: Array, *, groups: Array | None = None, loss: str | QSLoss = "ap", epsilon: float = 0.1,
    step_size: float = 1.0, max_iterations: int = 100, weights: Array | None = None, n_jobs: int = 1,
) -> checks.DirectLossFit:  # fmt: skip
    r"""Train a ranking by direct loss minimisation: steps against an estimate of the gradient of the loss itself.

    Notes
    -----
    The twin of `reference.fit_direct_loss`, with all groups at once. For :math:`\epsilon \to 0` the expected step tends
    to the gradient of the expected loss. The problem is not convex, and no certificate exists. In :math:`R_w` a tie
    counts against the positive. The inference for :math:`F + \epsilon \, \text{loss}` is the inference for loss + F
    with all scores divided by :math:`\epsilon`. The cost is O(n d + n log P) an iteration.
    """
    X, *samples, loss, epsilon, step_size, max_iterations, weights, n_jobs = problems.fit_direct_loss(
        X, relevant, groups=groups, loss=loss, epsilon=epsilon, step_size=step_size, max_iterations=max_iterations,
        weights=weights, n_jobs=n_jobs,
    )  # fmt: skip
    with threads(n_jobs) as each, one_blas_thread():
        ranker, products = Ranker(*samples, _known_loss(loss), each=each), Products(X, each)
        w = products.slope(ranker.towards_perfect()) if weights is None else weights
        best, losses = (np.inf, None), []
        for step in range(max_iterations + 1):
            scores = products.scores(w)
            checks.finite_array(scores / epsilon, "X @ weights / epsilon")
            ranks, values = ranker.rank_by_scores(scores)
            losses.append(values.mean())
            best = min(best, (losses[-1], w), key=lambda pair: pair[0])
            if step < max_iterations:
                worse, _ = ranker.rank(scores / epsilon)
                w = w - step_size / epsilon * products.slope(2 * (worse - ranks) * ranker.weight)
    return checks.DirectLossFit(checks.in_range(best[1], X.dtype, "weights"), np.array(losses))


@checks.documented_by(problems.fit_latent_ranking_svm)
def fit_latent_ranking_svm(
    X: Matrix, bags: Array, relevant: Array, *, loss: str | QSLoss = "ap", regularization: float, tol: float = 1e-3,
    max_iterations: int = 1000, max_rounds: int = 20, weights: Array | None = None, n_jobs: int = 1,
) -> checks.LatentRankingFit:  # fmt: skip
    """Train a ranking SVM whose positive samples each have several candidate windows, one of which is the right one.

    Notes
    -----
    The twin of `reference.fit_latent_ranking_svm`. The hinge does not grow with the score of a positive. So for fixed
    weights the best window of a bag is the one with the highest score. Each of the two steps lowers the objective, up
    to the gap. The rounds settle, but maybe not at the global minimum. The first
    step finds an upper bound that touches the objective at the weights, and the second minimises it.
    """
    X, positive, rows, starts, loss, options, max_rounds, weights, n_jobs = problems.fit_latent_ranking_svm(
        X, bags, relevant, loss=loss, regularization=regularization, tol=tol, max_iterations=max_iterations,
        max_rounds=max_rounds, weights=weights, n_jobs=n_jobs,
    )  # fmt: skip
    negatives = rows[np.repeat(~positive, np.diff(starts))]
    candidates, bag_of = rows[np.repeat(positive, np.diff(starts))], np.repeat(positive.cumsum() - 1, np.diff(starts))
    bag_of = bag_of[np.repeat(positive, np.diff(starts))]
    solver = {"loss": loss, "n_jobs": n_jobs, **options._asdict()}
    if weights is None:
        chosen = _highest(candidates, bag_of, -_distances_from_mean(X[candidates], bag_of))
    else:
        chosen = _highest(candidates, bag_of, X[candidates] @ weights)
    objectives = []
    for _ in range(max_rounds):
        samples = np.concatenate([chosen, negatives])
        fit = fit_ranking_svm(X[samples], np.arange(len(samples)) < len(chosen), **solver)
        objectives.append(fit.primal)
        last, chosen = chosen, _highest(candidates, bag_of, X[candidates] @ fit.weights)
        settled = len(objectives) > 1 and objectives[-2] - objectives[-1] <= options.tol * objectives[-1]
        if settled or (chosen == last).all():
            break
    return checks.LatentRankingFit(fit.weights, last, np.array(objectives), fit.gap, fit)


def _highest(candidates, bag_of, scores):
    """Returns the candidate with the highest score in each bag, the first one of a tie."""
    order = np.lexsort((np.arange(len(scores)), -scores, bag_of))
    return candidates[order[np.flatnonzero(np.diff(bag_of[order], prepend=-1))]]


def _distances_from_mean(windows, bag_of):
    """Returns the squared distance of each window from the mean of its bag."""
    windows = windows.toarray() if hasattr(windows, "tocsr") else windows
    sums = np.zeros((bag_of[-1] + 1, windows.shape[1]))
    np.add.at(sums, bag_of, windows)
    return ((windows - (sums / np.bincount(bag_of)[:, None])[bag_of]) ** 2).sum(axis=1)
