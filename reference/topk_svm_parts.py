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
right where all parts move W in the same direction, and too little in all other directions. The error that remains after
many rounds is in directions that few examples determine. It decreases by the same small factor in each round, and the
factor is worse the more examples are correlated.

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

from time import perf_counter

import numpy as np

from ._svm.conjugate import Directions, best_share, moved
from .losses import topk_hinge
from .problems import checks
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


def fit_topk_svm_parts(
    X, y, parts, *, k=1, kind="alpha", regularization, tol=1e-3, max_rounds=1000, local_epochs=1, sigma=None,
    combine="conjugate", gather=None, seed=0, sample_weight=None, duals=None, sparse_duals=False, n_jobs=1,
    progress=False,
):  # fmt: skip
    r"""Train the top-k multiclass SVM of `fit_topk_svm` on examples that are cut into parts.

    .. math::

        \arg\min_W \; \tfrac{\lambda}{2} \|W\|^2 + \tfrac1n \sum_{i=1}^n s_i \, \text{loss}(W^\top x_i, y_i)

    Each part ascends the dual by itself, and rounds combine what the parts have changed. The fit has a certified
    duality gap.

    Parameters
    ----------
    X : array or scipy CSR or CSC matrix, shape (n, d), float32 or float64
        Features, one row an example.
    y : int array, shape (n,)
        Classes 0..m-1, as for `fit_topk_svm`.
    parts : int in 1..n, or list of int arrays
        The number S of parts to which the examples are dealt out at random. Or the examples of each part: every
        example in one part, and no part empty. Their order within a part does not matter.
    k, kind, regularization, tol
        As for `fit_topk_svm`.
    max_rounds : int, >= 1
        The largest number of rounds.
    local_epochs : int, >= 1
        The number of passes that a part makes before its change is combined with those of the others.
    sigma : float, > 0, optional
        The factor sigma' by which a part stretches its own change of the weights, as the other parts may make the same
        change. If not given, it is S for "adding". Otherwise it starts at S, and is then the largest coupling of the
        last 5 passes, rounded up to a power of 2, between 1 and S. With "adding" and a number below S the dual may
        decrease.
    combine : {"conjugate", "line_search", "adding"}
        What a round does with the changes that the parts make in the duals. "adding" makes all of them, after passes
        over all examples. "line_search" makes the share of them, between 0 and 1, that increases the dual most.
        "conjugate" makes many steps, each after passes over the examples that may move. Each step maximises the dual
        along the changes, made conjugate to the last 3 directions. With the latter two the dual never decreases.
    gather : float, >= 0, may be inf, optional
        "conjugate" gathers the examples that may move if they take at most so many bytes, 8 for each number of their
        rows and 12 for each listed dual. Then it makes the steps of the round on these as one part, with sigma' = 1.
        If not given, it is 64 MB, or 8 times the bytes of W in float64 if that is more. A pass over fewer rows takes
        about as long as a cluster takes to exchange W, so that several workers would not be faster.
    seed : int, >= 0
        Seed of the parts and of all visiting orders: part p visits its examples, or those that may move, in pass q of
        round t in the order ``numpy.random.default_rng([seed, t, q, p]).permutation(...)``, all counted from 0.
    sample_weight, duals, sparse_duals, n_jobs, progress
        As for `fit_topk_svm`.

    Returns
    -------
    fit : TopKSVMFit
        As for `fit_topk_svm`, with the number of rounds as epochs. history has one record a round: primal, dual, gap,
        seconds, communications, sigma, gathered. communications is how often so far all parts were sent weights or
        directions. sigma is sigma' at the beginning of the round. gathered is 1 if the steps were made on the gathered
        examples, and otherwise 0. The gap is that of the duals as returned.

    Raises
    ------
    ValueError
        As for `fit_topk_svm`; or parts are empty, overlap or leave an example out; or another argument is not as
        described above.

    Warns
    -----
    ConvergenceWarning
        The gap is still above `tol` after `max_rounds`. The fit returned is valid, with its true gap.

    Notes
    -----
    The parts are visited one after the other. A listed example takes part with all its classes. An example with x = 0
    does not change W: it is given its optimal duals before the first round. The first round from zero duals is one step
    of "line_search": as all margins are 1, all examples would be listed. A sparse X is made dense. A pass takes O(m (d
    + log m + k)) for each of its examples, and a round O(n m d) more.

    References
    ----------
    * Paper (Ma et al.: Adding vs. Averaging in Distributed Optimization, 2015),
      algorithm 1.
    * Paper 004 (Lapin, Hein, Schiele: Top-k Multiclass SVM, 2015), algorithm 1, for the steps.

    Examples
    --------
    >>> X, y = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]]), np.array([0, 1, 2])
    >>> fit = fit_topk_svm_parts(X, y, [[0, 2], [1]], regularization=0.1, tol=1e-9)
    >>> (X @ fit.weights).argmax(axis=1)
    array([0, 1, 2])
    """
    X, y, m = checks.features_and_labels(X, y, sparse=True)
    X = X.toarray() if hasattr(X, "tocsr") else X
    rule = checks.parts_rule(max_rounds, local_epochs, sigma, combine, gather, seed)
    parts = checks.parts_of(parts, len(X), seed)
    options = checks.svm_options(len(X), m, k, kind, regularization, tol, rule.max_rounds, sample_weight)
    model = _Linear(X, checks.starting_duals(duals, y, m, options))
    checks.thread_count(n_jobs)
    fit = _ascend(_Rounds(model, y, parts, options, rule), X.dtype, progress)
    return _with_sparse_duals(fit) if checks.flag(sparse_duals, "sparse_duals") else fit


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
