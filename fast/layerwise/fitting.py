"""Rounds over the layers of a network, compiled. `reference.layerwise` explains the convex problem of a layer."""

from __future__ import annotations

from time import perf_counter

import numpy as np

from reference.problems import checks
from reference.problems import layerwise as problems
from reference.problems.checks.types import Array

from .._shared.threads import one_blas_thread
from ._examples import ExampleBlocks, example_hinges
from ._network import scores_of, stages_of
from ._rankings import RankingBlocks
from ._tail import Trained


@checks.documented_by(problems.fit_layerwise)
def fit_layerwise(
    X: Array, y: Array, layers: list[tuple], *, loss: str = "multiclass", groups: Array | None = None,
    regularization: float, proximity: float = 0.0, tol: float = 1e-2, max_epochs: int = 100, max_rounds: int = 10,
    weights: list[Array] | None = None, method: str = "quicksort", seed: int = 0, progress: bool = False,
) -> checks.LayerwiseFit:  # fmt: skip
    """Train a piecewise linear network by structured SVMs, one layer at a time, so that the objective never rises.

    Notes
    -----
    The outputs of the trained layer are products of matrices. The bounds pass through the later layers row by row, in
    compiled loops that skip what is inactive. The planes of an example are kept as their slopes in the outputs of the
    layer, not in its weights. An epoch costs O(n w) for n examples and w weights of dense layers, plus the inference.
    """
    problem = problems.fit_layerwise(
        X, y, layers, loss=loss, groups=groups, regularization=regularization, proximity=proximity, tol=tol,
        max_epochs=max_epochs, max_rounds=max_rounds, weights=weights, method=method, seed=seed, progress=progress,
    )  # fmt: skip
    with one_blas_thread():
        fit = _Rounds(problem).run(progress)
    checks.warn_unless_converged(fit.gap, problem.tol, len(fit.history), "updates")
    return fit


class _Rounds:
    """The state of a fit: the problem with its rows in the order of the blocks, and the weights."""

    def __init__(self, problem):
        self.X, self.y = problem.inputs[problem.rows], problem.y[problem.rows]
        self.problem, self.weights = problem, list(problem.weights)
        self.stages = stages_of(problem.network)
        self.Blocks = RankingBlocks if problem.loss in problems.RANKED else ExampleBlocks

    def run(self, progress):
        """Returns the LayerwiseFit."""
        problem, trail, records = self.problem, [], []
        objectives = [self.objective(self.weights)]
        with checks.progress_bar(progress, problem.max_rounds, "objective") as report:
            for _ in range(problem.max_rounds):
                before = objectives[-1]
                for k in range(len(self.weights)):
                    records.append(self.update(k, objectives[-1]))
                    objectives.append(records[-1][3])
                    trail.append(self.weights[k].astype(problem.X.dtype))
                report(objectives[-1])
                if before - objectives[-1] <= problem.tol * objectives[-1]:
                    break
        history, weights = problems.history_of(records), (part.astype(problem.X.dtype) for part in self.weights)
        return checks.LayerwiseFit(
            tuple(weights), np.array(objectives), float(history.gap.max()), tuple(trail), history
        )

    def update(self, k, objective):
        """Train layer k. Returns the record of the update."""
        start, weights = perf_counter(), self.weights
        blocks = self.Blocks(self.problem, self.y, Trained(self.stages, weights, k, self.X))
        others = sum(np.sum(part**2) for j, part in enumerate(weights) if j != k)
        best, primal, dual, gap, epochs = minimise(blocks, self.problem.regularization / 2 * others)
        after = self.objective([*weights[:k], best, *weights[k + 1 :]])
        if after <= objective:
            weights[k], objective = best, after
        return k, epochs, blocks.inferences, objective, primal, dual, gap, perf_counter() - start

    def objective(self, weights):
        """Returns ``regularization/2 |W|^2 + the mean hinge``."""
        scores, problem = scores_of(self.stages, weights, self.X), self.problem
        if self.Blocks is RankingBlocks:
            hinges = RankingBlocks.hinges_of(problem, self.y, scores, scores)
        else:
            hinges = example_hinges(scores, scores, self.y.astype(np.int64), problem.loss == "multiclass")
        penalty = sum(np.sum(part**2) for part in weights)
        return float(checks.finite_objective(problem.regularization / 2 * penalty + problem.shares @ hinges))


def minimise(blocks, rest):
    """Returns (weights, primal, dual, gap, epochs) of the convex problem of one layer."""
    problem, W0 = blocks.problem, blocks.W0
    best, epochs = (rest + blocks.penalty(W0) + blocks.start(), W0), 0
    while True:
        blocks.recompute()
        W = blocks.W.astype(problem.X.dtype).astype(np.float64)  # as they are returned
        best = min(best, (rest + blocks.penalty(W) + blocks.mean_hinge(W), W), key=lambda pair: pair[0])
        dual = rest + blocks.dual()
        gap = checks.relative_gap(checks.finite_objective(best[0]), dual)
        if gap <= problem.tol or epochs == problem.max_epochs:
            return best[1], best[0], min(dual, best[0]), gap, epochs
        epochs += 1
        blocks.visit(problem.generator.permutation(len(problem.shares)))
