r"""The top-k multiclass SVM on examples that are cut into parts, each of which ascends the dual by itself.

Why parts? The examples may not fit into one memory, or many processors may share the work. In algorithm 1 of the paper
(see below) each step changes the weights W that the next one reads, so that steps cannot be made at the same time.
Parts work from one copy of W for a whole pass, and then tell each other what they have changed.

Let A be the duals, :math:`W = X^\top A`, and let part p have the rows :math:`A_p`. Up to a constant factor the dual is

.. math::

    D(A) = \sum_i A_{i, y_i} - \tfrac12 \|W\|^2

A pass of part p visits its examples in random order. It treats all other parts as they were when the pass began. But
they do move meanwhile, and similar examples in several parts would all correct the same error of W: together they go
too far. So a part assumes that all others do what it does itself. Let :math:`V_p` be the change of W that it has made
so far. The scores of example i are those of the weights :math:`W + \sigma' V_p`, and the curvature of its step is
:math:`\sigma' \|x_i\|^2`. Otherwise the step is that of algorithm 1. How far do the parts go in the same direction?
Their coupling is

.. math::

    \rho = \frac{\|\sum_p V_p\|^2}{\sum_p \|V_p\|^2}

This is between 0 and the number S of parts. If :math:`\sigma' \ge \rho`, then to add all changes does not decrease the
dual: the sum of the objectives that the parts increased is a lower bound of D (Ma et al. 2015). :math:`\sigma' = S` is
always enough.

A round makes passes, and combines the changes of the parts.

* "adding": every part makes some passes over all its examples, and all changes are added (CoCoA+).
* "line_search": the same, but only a share theta in 0..1 of the changes is made. D is quadratic in theta, so that the
  best theta is known. Therefore D never decreases, whatever :math:`\sigma'` is, and :math:`\sigma'` can be the measured
  :math:`\rho` instead of S.
* "conjugate": many steps, each of which makes passes over the listed examples. These have duals, or would have some if
  their margins were slightly larger. All others do not move before they are looked at again.

Why is adding slow? With :math:`\sigma' = S` each part makes only an S-th of the step that is best for it alone. That is
right where all parts move W in the same direction, and too little in all other directions. While no dual is at a bound,
and if each part finds its best change, a round multiplies an error of coupling :math:`\rho` by
:math:`1 - \rho / \sigma'`. So the error that remains after many rounds is one where the parts nearly cancel.

How do conjugate directions help? The change of a pass is a gradient of D, preconditioned by the parts. So the steps are
made along these changes, each made conjugate to the last few. This is the method of conjugate gradients, which corrects
short and long directions alike. A larger S makes the preconditioner worse and the number of steps larger. But a round
ends when a pass gains little, so the number of rounds hardly grows. If the listed examples are few, they are gathered.
Then the same steps are made in one part, with :math:`\sigma' = 1`.

Why is the gap true? A round ends with :math:`W = X^\top A`, computed from the duals, and with the scores of all
examples. Primal and dual follow from these. Whatever a part did, its duals are in their domain, and each feasible A
bounds the optimum.

Source: Paper (Ma et al.: Adding vs. Averaging in Distributed Optimization, 2015);
Paper 004 (Lapin, Hein, Schiele: Top-k Multiclass SVM, 2015), algorithm 1.
"""

from __future__ import annotations

from time import perf_counter

import numpy as np

from ._svm.conjugate import Directions, best_share, moved
from .losses import topk_hinge
from .problems import checks
from .problems import topk_svm_parts as problems
from .problems.checks.types import Array, Matrix
from .topk_svm import _best_row, _certified_gap, _Linear, _with_sparse_duals

__all__ = ["fit_topk_svm_parts"]

# How far, in units of the margin, an example may be from having duals and still be listed. A pass changes the scores,
# and an example that is not listed cannot move before the next look at all examples.
SLACK = 0.1
# The steps of a round end when a pass gains at most this share of the largest gain: the larger of GOAL, below which new
# lists are worth more than another pass, and NEAR_GOAL tol / gap, as the gap falls with the gain.
GOAL, NEAR_GOAL = 0.05, 0.3
# Bounds the work on the lists before all examples are looked at again. One part would do with 100. The steps of many
# parts gain less each: with 100, the digits with C = 100 take 30 rounds in 16 parts, and with 300 they take 16.
MOST_STEPS = 300
NUMBER_BYTES, DUAL_BYTES = 8, 12  # of a number of a gathered row, and of a gathered dual with its class


@checks.documented_by(problems.fit_topk_svm_parts)
def fit_topk_svm_parts(
    X: Matrix, y: Array, parts: int | list[Array], *, k: int = 1, kind: str = "alpha", regularization: float,
    tol: float = 1e-3, max_rounds: int = 1000, local_epochs: int = 1, sigma: float | None = None,
    combine: str = "conjugate", gather: float | None = None, seed: int = 0, sample_weight: Array | None = None,
    duals: Matrix | None = None, sparse_duals: bool = False, n_jobs: int = 1, progress: bool = False,
) -> checks.TopKSVMFit:  # fmt: skip
    r"""Train the top-k multiclass SVM of `fit_topk_svm` on examples that are cut into parts.

    .. math::

        \arg\min_W \; \tfrac{\lambda}{2} \|W\|^2 + \tfrac1n \sum_{i=1}^n s_i \, \text{loss}(W^\top x_i, y_i)

    Each part ascends the dual by itself, and rounds combine what the parts have changed. The fit has a certified
    duality gap.

    Notes
    -----
    The parts are visited one after the other. A listed example takes part with all its classes. An example with x = 0
    does not change W: it is given its optimal duals before the first round. The first round from zero duals is one step
    of "line_search": as all margins are 1, all examples would be listed. A sparse X is made dense. A pass takes O(m (d
    + log m + k)) for each of its examples, and a round O(n m d) more.
    """
    problem = problems.fit_topk_svm_parts(
        X, y, parts, k=k, kind=kind, regularization=regularization, tol=tol, max_rounds=max_rounds,
        local_epochs=local_epochs, sigma=sigma, combine=combine, gather=gather, seed=seed, sample_weight=sample_weight,
        duals=duals, sparse_duals=sparse_duals, n_jobs=n_jobs, progress=progress,
    )  # fmt: skip
    X = problem.X.toarray() if hasattr(problem.X, "tocsr") else problem.X
    model = _Linear(X, problem.starting_duals())
    fit = _ascend(_Rounds(model, problem.y, problem.parts, problem.options, problem.rule), X.dtype, problem.progress)
    return _with_sparse_duals(fit) if problem.sparse_duals else fit


def _ascend(rounds, dtype, progress):
    """Rounds until the certified gap is small."""
    start, history, gap, tol = perf_counter(), [], 1.0, rounds.options.tol
    with checks.progress_bar(progress, rounds.rule.max_rounds) as report:
        for number in range(rounds.rule.max_rounds):
            sigma = rounds.sigma()
            gathered = rounds.ascend(number, tol / gap)
            duals, primal, dual, gap = rounds.certify(dtype)
            history.append((primal, dual, gap, perf_counter() - start, rounds.communications, sigma, gathered))
            report(gap)
            if gap <= tol:
                break
    checks.warn_unless_converged(gap, tol, len(history), "rounds")
    weights, history = rounds.model.weights.astype(dtype), checks.parts_history(history)
    return checks.TopKSVMFit(weights, duals, primal, dual, gap, len(history), history)


class _Rounds:
    """The duals and weights of all parts, the couplings of their passes, and the number of communications."""

    def __init__(self, model, y, parts, options, rule):
        self.model, self.y, self.parts, self.options, self.rule = model, y, parts, options, rule
        self.couplings, self.communications = [], 0
        for i in np.flatnonzero(model.squared_norms == 0):
            model.set_row(i, _best_row(model.scores(i), model.duals[i], 0.0, y[i], options.of(i)))

    def sigma(self):
        return self.rule.stretch(self.couplings, len(self.parts))

    def ascend(self, number, wanted):
        """Make round `number`, where `wanted` is tol / gap. Returns whether the listed examples were gathered."""
        if self.rule.combine == "conjugate" and self.model.duals[self.model.squared_norms > 0].any():
            return self._follow_directions(number, wanted)
        change, image, _ = self._pass_of_all(number, 0, self.parts)
        self._take(change, image, self.rule.combine != "adding")
        return False

    def certify(self, dtype):
        """Recompute the weights from the duals, rounded to the final dtype. Returns (duals, primal, dual, gap)."""
        duals = checks.in_range(self.model.duals, dtype, "duals")
        self.model.duals = duals.astype(np.float64)
        self.model.weights, *certified = _certified_gap(self.model, self.model.duals, self.y, self.options)
        self.communications += 1
        return duals, *certified

    def _follow_directions(self, number, wanted):
        """Steps along conjugate directions, until a pass gains little. Returns whether the examples were gathered."""
        rows = self._listed()
        features, classes = self.model.weights.shape
        listed = len(rows) * (NUMBER_BYTES * features + DUAL_BYTES * classes)
        gathered = listed <= self.rule.most_gathered(features * classes)
        parts = [rows] if gathered else [np.intersect1d(part, rows) for part in self.parts]
        directions, largest = Directions(self.model, rows, self.y, self.options), 0.0
        for step in range(MOST_STEPS):
            change, image, gain = self._pass_of_all(number, step, parts, gathered)
            self._take(change, image, searched=True)
            directions.follow(change[rows], image)
            self.communications += not gathered
            largest = max(largest, gain)
            if gain <= max(GOAL, NEAR_GOAL * wanted) * largest:
                break
        self.communications += gathered
        return gathered

    def _listed(self):
        """Returns the examples that may move: those with duals, or with a loss if their margins were larger by SLACK.

        An example without duals keeps them at 0 as long as its loss is 0.
        """
        model, options = self.model, self.options
        scores = model.X @ model.weights
        scores[np.arange(len(self.y)), self.y] -= SLACK
        near = topk_hinge(scores, self.y, options.k, options.kind) > 0
        can_move = (model.squared_norms > 0) & (options.sample_weight > 0)
        return np.flatnonzero(can_move & (near | model.duals.any(axis=1)))

    def _pass_of_all(self, number, step, parts, gathered=False):
        """Passes of all parts from the same weights. Returns (change of the duals, change of the weights, gain)."""
        model, sigma = self.model, 1.0 if gathered else self.sigma()
        change, image, gain, squares = np.zeros_like(model.duals), np.zeros_like(model.weights), 0.0, 0.0
        for p, rows in enumerate(parts):
            orders = self.rule.orders(len(rows), number, step, p)
            change[rows], own_image, own_gain = _pass_of_part(model, rows, orders, sigma, self.y, self.options)
            image, gain, squares = image + own_image, gain + own_gain, squares + (own_image**2).sum()
        if squares > 0 and not gathered:
            self.couplings.append((image**2).sum() / squares)
        self.communications += not gathered
        return change, image, gain

    def _take(self, change, image, searched):
        """Make a change of the duals, or if the length is searched, the share of it that increases the dual most."""
        theta = best_share(self.model.weights, change, image, self.y) if searched else 1.0
        self.model.duals = moved(self.model.duals, change, theta, self.y)
        self.model.weights = self.model.weights + theta * image


def _pass_of_part(model, rows, orders, sigma, y, options):
    """Passes of one part over the examples `rows`. Returns (change of their duals, change V of the weights, gain).

    The gain is the first-order one: the sum of <change of the duals, margins> over all steps.
    """
    duals, stretched, gain = model.duals[rows], model.weights.copy(), 0.0  # stretched is W + sigma' V
    for place in (place for order in orders for place in order):
        i = rows[place]
        scores = model.X[i] @ stretched
        row = _best_row(scores, duals[place], sigma * model.squared_norms[i], y[i], options.of(i))
        change = row - duals[place]
        gain += change[y[i]] - change @ scores
        stretched += sigma * np.outer(model.X[i], change)
        duals[place] = row
    change = duals - model.duals[rows]
    return change, model.X[rows].T @ change, gain
