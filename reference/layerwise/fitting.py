"""Rounds over the layers of a network: each update solves a convex problem above the objective, and lowers both."""

from __future__ import annotations

from time import perf_counter

import numpy as np

from ..problems import checks
from ..problems import layerwise as problems
from ..problems.checks.types import Array
from ._bounds import bounds_of, patterns_of, slopes_of
from ._frank_wolfe import minimise
from ._hinges import block_hinge
from ._network import apply, scores_of, steps_of, with_one


@checks.documented_by(problems.fit_layerwise)
def fit_layerwise(
    X: Array, y: Array, layers: list[tuple], *, loss: str = "multiclass", groups: Array | None = None,
    regularization: float, proximity: float = 0.0, tol: float = 1e-2, max_epochs: int = 100, max_rounds: int = 10,
    weights: list[Array] | None = None, method: str = "quicksort", seed: int = 0, progress: bool = False,
) -> checks.LayerwiseFit:  # fmt: skip
    r"""Train a piecewise linear network by structured SVMs, one layer at a time, so that the objective never rises.

    .. math::

        \min_W \; \tfrac{\lambda}{2} \|W\|^2 + \text{mean hinge of the network's scores}

    Here :math:`\lambda` is `regularization`, and W are the weights of all layers. Each update solves a convex problem
    in one layer to a certified gap. The network as a whole need not reach a global minimum.

    Notes
    -----
    An update replaces the objective by a convex function of the weights W of one layer. This is the hinge of a lower
    bound of the scores that should be high, and of an upper bound of all others. It is nowhere below the objective, and
    equal at the current weights. `reference.layerwise._bounds` proves this. Its primal and dual include the penalty of
    the other layers. The weights that are kept are the best of all epochs, so that the objective cannot rise; if
    rounding raises it, the update is not made. For the output layer, the bounds are equal to the scores, and the convex
    problem is the exact one.
    """
    problem = problems.fit_layerwise(
        X, y, layers, loss=loss, groups=groups, regularization=regularization, proximity=proximity, tol=tol,
        max_epochs=max_epochs, max_rounds=max_rounds, weights=weights, method=method, seed=seed, progress=progress,
    )  # fmt: skip
    steps, weights = steps_of(problem.network), list(problem.weights)
    objectives, trail, records = [_objective(problem, steps, weights)], [], []
    with checks.progress_bar(progress, problem.max_rounds, "objective") as report:
        for _ in range(problem.max_rounds):
            before = objectives[-1]
            for k in range(len(weights)):
                weights[k], record = _update(problem, steps, weights, k, objectives[-1])
                objectives.append(record[3])
                trail.append(weights[k].astype(problem.X.dtype))
                records.append(record)
            report(objectives[-1])
            if before - objectives[-1] <= problem.tol * objectives[-1]:
                break
    history = problems.history_of(records)
    checks.warn_unless_converged(history.gap.max(), problem.tol, len(records), "updates")
    weights = tuple(part.astype(problem.X.dtype) for part in weights)
    return checks.LayerwiseFit(weights, np.array(objectives), float(history.gap.max()), tuple(trail), history)


def _update(problem, steps, weights, k, objective):
    """Returns the new weights of layer k, and the record of the update."""
    start, layer = perf_counter(), TrainedLayer(problem, steps, weights, k)
    others = sum(np.sum(part**2) for j, part in enumerate(weights) if j != k)
    found = minimise(layer, weights[k], problem, problem.regularization / 2 * others)
    after = _objective(problem, steps, [*weights[:k], found.weights, *weights[k + 1 :]])
    kept, after = (found.weights, after) if after <= objective else (weights[k], objective)
    numbers = k, found.epochs, layer.inferences, after, found.primal, found.dual, found.gap
    return kept, (*numbers, perf_counter() - start)


def _objective(problem, steps, weights):
    """Returns regularization/2 |W|^2 + the mean hinge."""
    scores = scores_of(steps, weights, problem.inputs[problem.rows])
    hinges = [
        block_hinge(problem, g, scores[first:end], scores[first:end])[0]
        for g, (first, end) in enumerate(zip(problem.starts[:-1], problem.starts[1:], strict=True))
    ]
    penalty = sum(np.sum(part**2) for part in weights)
    return float(checks.finite_objective(problem.regularization / 2 * penalty + problem.shares @ hinges))


class TrainedLayer:
    """The convex bound of the mean hinge, as a function of the weights of layer k."""

    def __init__(self, problem, steps, weights, k):
        at = next(i for i, step in enumerate(steps) if step.weights == k)
        self.problem, self.weights, self.steps, self.inferences = problem, weights, steps[at + 1 :], 0
        z = problem.inputs[problem.rows]
        for step in steps[:at]:
            z = apply(step, z, weights)
        self.patches = with_one(z[:, steps[at].table])
        self.patterns = patterns_of(self.steps, weights, self.outputs(slice(None), weights[k]))

    def outputs(self, rows, W):
        """Returns the outputs of the layer for these rows."""
        patches = self.patches[rows]
        return (patches @ W).reshape(len(patches), -1)

    def bounds(self, rows, W):
        """Returns the trace of (upper, lower) for these rows."""
        patterns = [None if pattern is None else pattern[rows] for pattern in self.patterns]
        return bounds_of(self.steps, self.weights, patterns, self.outputs(rows, W)), patterns

    def hinges(self, W):
        """Returns h_g(W) of all blocks."""
        (upper, lower), starts = self.bounds(slice(None), W)[0][-1], self.problem.starts
        self.inferences += len(starts) - 1
        parts = [slice(first, end) for first, end in zip(starts[:-1], starts[1:], strict=True)]
        return np.array([block_hinge(self.problem, g, upper[p], lower[p])[0] for g, p in enumerate(parts)])

    def plane(self, g, W):
        """Returns (offset, slope) of the largest linear function of block g at W."""
        rows = slice(self.problem.starts[g], self.problem.starts[g + 1])
        self.inferences += 1
        trace, patterns = self.bounds(rows, W)
        value, by_upper, by_lower = block_hinge(self.problem, g, *trace[-1])
        by_output = slopes_of(self.steps, self.weights, patterns, trace, by_upper, by_lower)
        patches = self.patches[rows]
        slope = np.einsum("npi,npu->iu", patches, by_output.reshape(*patches.shape[:2], -1))
        return value - float(np.sum(slope * W)), slope
