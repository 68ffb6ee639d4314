"""Rounds over the layers of a network, compiled. `reference.layerwise` explains the convex problem of a layer."""

from time import perf_counter

import numpy as np

from reference.problems import checks

from .._shared.threads import one_blas_thread
from ._examples import ExampleBlocks, example_hinges
from ._network import scores_of, stages_of
from ._rankings import RankingBlocks
from ._tail import Trained


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
    The outputs of the trained layer are products of matrices. The bounds pass through the later layers row by row, in
    compiled loops that skip what is inactive. The planes of an example are kept as their slopes in the outputs of the
    layer, not in its weights. An epoch costs O(n w) for n examples and w weights of dense layers, plus the inference.

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
    checks.flag(progress, "progress")
    with one_blas_thread():
        fit = _Rounds(problem, weights, generator).run(progress)
    checks.warn_unless_converged(fit.gap, problem.tol, len(fit.history), "updates", stacklevel=3)
    return fit


class _Rounds:
    """The state of a fit: the problem with its rows in the order of the blocks, and the weights."""

    def __init__(self, problem, weights, generator):
        self.X, self.y = problem.X[problem.rows], problem.y[problem.rows]
        self.problem, self.weights, self.generator = problem, weights, generator
        self.stages = stages_of(problem.layers)
        self.Blocks = RankingBlocks if problem.loss in checks.RANKED else ExampleBlocks

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
                    trail.append(self.weights[k].astype(problem.dtype))
                report(objectives[-1])
                if before - objectives[-1] <= problem.tol * objectives[-1]:
                    break
        history, weights = checks.layerwise_history(records), (part.astype(problem.dtype) for part in self.weights)
        return checks.LayerwiseFit(
            tuple(weights), np.array(objectives), float(history.gap.max()), tuple(trail), history
        )

    def update(self, k, objective):
        """Train layer k. Returns the record of the update."""
        start, weights = perf_counter(), self.weights
        blocks = self.Blocks(self.problem, self.y, Trained(self.stages, weights, k, self.X))
        others = sum(np.sum(part**2) for j, part in enumerate(weights) if j != k)
        best, primal, dual, gap, epochs = minimise(blocks, self.problem.regularization / 2 * others, self.generator)
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


def minimise(blocks, rest, generator):
    """Returns (weights, primal, dual, gap, epochs) of the convex problem of one layer."""
    problem, W0 = blocks.problem, blocks.W0
    best, epochs = (rest + blocks.penalty(W0) + blocks.start(), W0), 0
    while True:
        blocks.recompute()
        W = blocks.W.astype(problem.dtype).astype(np.float64)  # as they are returned
        best = min(best, (rest + blocks.penalty(W) + blocks.mean_hinge(W), W), key=lambda pair: pair[0])
        dual = rest + blocks.dual()
        gap = checks.relative_gap(checks.finite_objective(best[0]), dual)
        if gap <= problem.tol or epochs == problem.max_epochs:
            return best[1], best[0], min(dual, best[0]), gap, epochs
        epochs += 1
        blocks.visit(generator.permutation(len(problem.shares)))
