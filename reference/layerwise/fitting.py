"""Rounds over the layers of a network: each update solves a convex problem above the objective, and lowers both."""

from time import perf_counter

import numpy as np

from ..problems import checks
from ._bounds import bounds_of, patterns_of, slopes_of
from ._frank_wolfe import minimise
from ._hinges import block_hinge
from ._network import apply, scores_of, steps_of, with_one


def fit_layerwise(
    X, y, layers, *, loss="multiclass", groups=None, regularization, proximity=0.0, tol=1e-2, max_epochs=100,
    max_rounds=10, weights=None, method="quicksort", seed=0, progress=False,
):  # fmt: skip
    r"""Train a piecewise linear network by structured SVMs, one layer at a time, so that the objective never rises.

    .. math::

        \min_W \; \tfrac{\lambda}{2} \|W\|^2 + \text{mean hinge of the network's scores}

    Here :math:`\lambda` is `regularization`, and W are the weights of all layers. Each update solves a convex problem
    in one layer to a certified gap. The network as a whole need not reach a global minimum.

    Parameters
    ----------
    X : array, shape (n, d), (n, height, width) or (n, height, width, channels), float32 or float64
        One example a row, features or an image.
    y : int array, or bool array, shape (n,)
        The classes 0..m-1 for the loss "multiclass", which needs m outputs. For the others, which examples are
        positive; the network has one output.
    layers : list of tuples
        The hidden layers: ("dense", units), ("conv", channels, size) or ("pool", size). See `network_scores`.
    loss : {"multiclass", "zero_one", "ap", "ndcg", "auc"}
        "multiclass" is the hinge of Crammer and Singer, :math:`\max(0, 1 + \max_{j \ne y} s_j - s_y)`. "zero_one" is
        the hinge of each example, :math:`\max(0, 1 - s)` or :math:`\max(0, 1 + s)`. The others are the structured hinge
        of `fit_ranking_svm`, averaged over the groups.
    groups : int array, shape (n,), optional
        The number of each example's group. If not given, all examples are one group. None for "multiclass".
    regularization : float, > 0
        :math:`\lambda`, for the weights of all layers and the intercepts.
    proximity : float, >= 0
        :math:`\theta`. The convex problem of a layer has the further penalty
        :math:`\tfrac{\theta}{2} \|W - W_0\|^2` around its current weights :math:`W_0`.
    tol : float, >= 0
        The relative duality gap at which to stop an update, and the relative decrease at which to stop the rounds.
    max_epochs : int, >= 1
        The largest number of epochs of an update. One epoch visits each block of the loss once: an example, or a group.
    max_rounds : int, >= 1
        The largest number of rounds. A round updates each layer once, the first one first.
    weights : list of arrays, shapes (inputs + 1, units), optional
        Starting point, as in `network_scores`. Drawn from `seed` if not given. They are not changed.
    method : {"quicksort", "greedy"}
        The algorithm of `loss_augmented_inference`. For these losses it does not change the answer.
    seed : int
        Seed of the weights to start from, and of the order in which the blocks are visited.
    progress : bool
        Show a progress bar.

    Returns
    -------
    fit : LayerwiseFit
        weights; objectives (updates + 1,), which never rise; gap, the largest relative gap of an update; trail, the
        weights of the updated layer after each update; and history, with one record an update: (layer, epochs,
        inferences, objective, primal, dual, gap, seconds).

    Raises
    ------
    ValueError
        An argument is not as described above.

    Warns
    -----
    ConvergenceWarning
        An update stops with a gap above `tol`. The fit returned is valid, with its true gaps.
    UserWarning
        Some groups do not have both classes and are left out.

    Notes
    -----
    An update replaces the objective by a convex function of the weights W of one layer. This is the hinge of a lower
    bound of the scores that should be high, and of an upper bound of all others. It is nowhere below the objective, and
    equal at the current weights. `reference.layerwise._bounds` proves this. Its primal and dual include the penalty of
    the other layers. The weights that are kept are the best of all epochs, so that the objective cannot rise; if
    rounding raises it, the update is not made. For the output layer, the bounds are equal to the scores, and the convex
    problem is the exact one.

    References
    ----------
    * Paper (Berrada, Zisserman, Kumar: Trusting SVM for Piecewise Linear CNNs, 2017), here with tighter bounds.
    * Paper (Lacoste-Julien et al.: Block-Coordinate Frank-Wolfe Optimization for Structural SVMs, 2013).
    * Paper 002 (Mohapatra et al.: Efficient Optimization for Rank-based Loss Functions, 2018), section 4.3, for "ap"
      and "ndcg".

    Examples
    --------
    >>> X, y = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]]), np.array([0, 0, 1, 1])
    >>> fit = fit_layerwise(X, y, [("dense", 6)], regularization=1e-2, tol=0.05, max_epochs=1000)
    >>> print(f"{fit.objectives[0]:.2f} -> {fit.objectives[-1]:.2f}")
    1.23 -> 0.18
    """
    problem = checks.layerwise_problem(
        X, y, layers, loss, groups, regularization, proximity, tol, max_epochs, max_rounds, method
    )
    weights, generator = checks.layerwise_start(weights, problem, seed)
    steps = steps_of(problem.layers)
    objectives, trail, records = [_objective(problem, steps, weights)], [], []
    with checks.progress_bar(checks.flag(progress, "progress"), problem.max_rounds, "objective") as report:
        for _ in range(problem.max_rounds):
            before = objectives[-1]
            for k in range(len(weights)):
                weights[k], record = _update(problem, steps, weights, k, objectives[-1], generator)
                objectives.append(record[3])
                trail.append(weights[k].astype(problem.dtype))
                records.append(record)
            report(objectives[-1])
            if before - objectives[-1] <= problem.tol * objectives[-1]:
                break
    history = checks.layerwise_history(records)
    checks.warn_unless_converged(history.gap.max(), problem.tol, len(records), "updates", stacklevel=3)
    weights = tuple(part.astype(problem.dtype) for part in weights)
    return checks.LayerwiseFit(weights, np.array(objectives), float(history.gap.max()), tuple(trail), history)


def _update(problem, steps, weights, k, objective, generator):
    """Returns the new weights of layer k, and the record of the update."""
    start, layer = perf_counter(), TrainedLayer(problem, steps, weights, k)
    others = sum(np.sum(part**2) for j, part in enumerate(weights) if j != k)
    found = minimise(layer, weights[k], problem, problem.regularization / 2 * others, generator)
    after = _objective(problem, steps, [*weights[:k], found.weights, *weights[k + 1 :]])
    kept, after = (found.weights, after) if after <= objective else (weights[k], objective)
    numbers = k, found.epochs, layer.inferences, after, found.primal, found.dual, found.gap
    return kept, (*numbers, perf_counter() - start)


def _objective(problem, steps, weights):
    """Returns regularization/2 |W|^2 + the mean hinge."""
    scores = scores_of(steps, weights, problem.X[problem.rows])
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
        z = problem.X[problem.rows]
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
