"""The top-k multiclass SVM by Prox-SDCA with shrinking. `reference.topk_svm` derives the algorithm.

The first epoch visits all examples. A later epoch visits a shortlist: the examples and classes that may still move,
many times over. An epoch ends with a look at all examples: it recomputes the weights from the duals and all scores from
the weights. They certify the gap, and give the next shortlist. With `order` given, every epoch visits all examples,
and the iterates are those of the reference.

Where there are few weights and many examples, Newton's method replaces all this: see `_svm.newton`.
"""

from itertools import islice

import numpy as np

from reference import contract

from ._shared.examples import gram_examples, linear_examples
from ._shared.recorder import Recorder
from ._svm.conjugate import visit_shortlist
from ._svm.hinge import KIND_NUMBERS
from ._svm.newton import ascend_by_newton, newton_pays
from ._svm.shortlist import empty_shortlist, list_examples
from ._svm.steps import DualState, TopKLoss, recompute_weights, visit_all

__all__ = ["fit_topk_svm", "fit_topk_svm_kernel"]

# A visit to a shortlist ends when a pass gains at most this share of the largest gain of a pass: the larger of GOAL,
# below which a new shortlist is worth more than another pass, and NEAR_GOAL tol / gap, as the gap falls with the gain.
GOAL, NEAR_GOAL = 0.05, 0.3
# A conjugate direction takes some dozen operations for each weight, and the step of a listed dual takes 2 d. Directions
# are used if there are at most this many weights for each listed dual.
MOST_WEIGHTS_PER_DUAL = 8
SCORES_AT_A_TIME = 2**20  # 8 MB: the scores of all examples need not be in memory at once


def fit_topk_svm(
    X, y, *, k=1, kind="alpha", regularization, tol=1e-3, max_epochs=1000, order=None, seed=0, sample_weight=None,
    duals=None, progress=False,
):  # fmt: skip
    """argmin_W regularization/2 |W|^2 + 1/n sum_i s_i loss(W' x_i, y_i): the top-k multiclass SVM, to a certified gap.

    Parameters
    ----------
    X : array or scipy CSR matrix, shape (n, d), float32 or float64
        Features, one row an example. There is no intercept. To have one, append a column of ones.
    y : int array, shape (n,)
        Classes 0..m-1, where m is the largest plus one. A class may be missing.
    k : int in 1..m-1
        The loss depends on the k rivals of the true class with the highest scores.
    kind : {"alpha", "beta", "alpha_inclusive"}
        Which top-k hinge loss, see `topk_hinge`.
    regularization : float, > 0
        lambda. In terms of the usual C, it is 1 / (C n).
    tol : float, >= 0
        The relative duality gap at which to stop.
    max_epochs : int, >= 1
        The largest number of epochs.
    order : int array, shape (n,) or (epochs, n), optional
        The order in which each epoch visits the examples, every example once. Drawn from `seed` if not given.
    seed : int
        Seed of the visiting order.
    sample_weight : array, shape (n,), >= 0, optional
        s_i, which multiplies the loss of example i. All 1 if not given. n remains the number of rows.
    duals : array, shape (n, m), optional
        Starting point, in the dual domain. To continue an earlier fit, rescale its duals by the ratio of
        1 / (regularization n), new over old. Zeros if not given. The array is not changed.
    progress : bool
        Show a progress bar.

    Returns
    -------
    fit : TopKSVMFit
        weights (d, m), duals (n, m), primal, dual, gap = (primal - dual) / primal, epochs, and history, with one record
        (primal, dual, gap, seconds) an epoch. weights = X' duals. A row of duals sums to 0; its true class is >= 0, and
        its rivals are <= 0. The gap is that of the duals as returned.

    Raises
    ------
    ValueError
        An argument is not as described above: X is empty or not finite, y has one class only, k is outside 1..m-1, ...

    Warns
    -----
    ConvergenceWarning
        The gap is still above `tol` after `max_epochs`. The fit returned is valid, with its true gap.

    Notes
    -----
    If `order` is given, each epoch visits all examples, and does nothing else. Otherwise examples and classes that will
    not move are skipped, and passes over the others are accelerated by conjugate directions. Each epoch ends with a
    look at all examples. Arithmetic is in float64. X is neither copied nor made dense if it is CSR or in C order;
    float32 values are converted as they are read. O(n m d) an epoch, most of it in one matrix product, plus O(d) for
    each listed class and pass.

    Newton's method takes over if there are few weights for the examples, as its time hardly depends on lambda: if
    n >= 1000, d m <= 2000, (d m)^2 <= 100 n, the mean of s_i |x_i|^2 is at least 0.1 lambda n, and no order is given.
    An epoch is then a step of the proximal point method, with several passes over the examples. It takes
    O(n m d + (d m)^3) time for each of them, and 12 (d m)^2 bytes. If the gap stops decreasing above `tol`, coordinate
    ascent continues.
    Source: 004, algorithm 1; shrinking as in sequential dual methods; Li, Sun and Toh 2018 for Newton's method.

    Examples
    --------
    >>> X, y = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]]), np.array([0, 1, 2])
    >>> fit = fit_topk_svm(X, y, regularization=0.1, tol=1e-9)
    >>> (X @ fit.weights).argmax(axis=1)
    array([0, 1, 2])
    """
    X, y, m = contract.features_and_labels(X, y, sparse=True)
    options = contract.svm_options(X.shape[0], m, k, kind, regularization, tol, max_epochs, sample_weight)
    return _ascend(_Linear(X, y), contract.starting_duals(duals, y, m, options), options, order, seed, progress)


def fit_topk_svm_kernel(
    K, y, *, k=1, kind="alpha", regularization, tol=1e-3, max_epochs=1000, order=None, seed=0, sample_weight=None,
    duals=None, progress=False,
):  # fmt: skip
    """argmax_A lambda sum_i A[i, y_i] - lambda/2 trace(A' K A)  subject to  A in the dual domain of the loss.

    The top-k multiclass SVM of `fit_topk_svm`, given the inner products K = X X' instead of X.

    Parameters
    ----------
    K : array, shape (n, n), float32 or float64
        Inner products of the examples: symmetric and positive semidefinite.
    y, k, kind, regularization, tol, max_epochs, order, seed, sample_weight, duals, progress
        As for `fit_topk_svm`.

    Returns
    -------
    fit : TopKSVMFit
        As for `fit_topk_svm`, but weights is None. The scores of the examples are K @ duals. Those of a new example are
        its inner products with the examples, times duals.

    Raises
    ------
    ValueError
        As for `fit_topk_svm`; or K is not square, not symmetric, or has a negative number on its diagonal.

    Warns
    -----
    ConvergenceWarning
        The gap is still above `tol` after `max_epochs`. The fit returned is valid, with its true gap.

    Notes
    -----
    O(n^2 m) an epoch, plus O(n) for each listed class and pass.
    Source: 004, Theorem 1 and section 3.2.

    Examples
    --------
    >>> X, y = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]]), np.array([0, 0, 1, 1])
    >>> K = (1 + X @ X.T) ** 2  # exclusive or, which no linear rule separates
    >>> fit = fit_topk_svm_kernel(K, y, regularization=1e-3, tol=1e-6)
    >>> (K @ fit.duals).argmax(axis=1)
    array([0, 0, 1, 1])
    """
    K, y, m = contract.gram_and_labels(K, y)
    options = contract.svm_options(len(K), m, k, kind, regularization, tol, max_epochs, sample_weight)
    return _ascend(_Kernel(K, y), contract.starting_duals(duals, y, m, options), options, order, seed, progress)


class _Linear:
    """Dense or CSR features in the one form that the kernels read."""

    def __init__(self, X, y):
        self.width = X.shape[1]
        self.examples, self.X = linear_examples(X, y)

    def weights(self, duals):
        """Returns the weights (m, d) of these duals."""
        weights = np.empty((duals.shape[1], self.width))
        recompute_weights(self.examples, duals, weights)
        return weights

    def newton_pays(self, m, options):
        return newton_pays(self.examples.squared_norms, self.width, m, options)

    def result(self, weights):
        """Returns the weights (d, m), as a fit holds them."""
        return np.ascontiguousarray(weights.T).astype(self.X.dtype)

    def squared_norm(self, weights, duals):
        """Returns |W|^2."""
        return np.vdot(weights, weights)

    def scores(self, rows, weights):
        """Returns the scores of some examples, given as a slice."""
        return self.X[rows].astype(np.float64, copy=False) @ weights.T


class _Kernel:
    """Inner products instead of features, and duals instead of weights."""

    def __init__(self, K, y):
        self.X = np.ascontiguousarray(np.asarray(K))
        self.examples = gram_examples(self.X, y)

    def weights(self, duals):
        return np.ascontiguousarray(duals.T)

    def newton_pays(self, m, options):
        return False  # it needs features

    def result(self, weights):
        return None

    def squared_norm(self, weights, duals):
        return sum(np.vdot(duals[rows], self.scores(rows, weights)) for rows in _chunks(duals))

    scores = _Linear.scores


def _chunks(duals):
    """Slices of examples, with at most about SCORES_AT_A_TIME scores each."""
    n, m = duals.shape
    size = max(SCORES_AT_A_TIME // m, 1)
    return [slice(start, min(start + size, n)) for start in range(0, n, size)]


def _ascend(model, duals, options, order, seed, progress):
    """Ascend by Newton's method where it pays, and otherwise, or if its gap does not reach tol, by coordinates."""
    recorder, (n, m) = Recorder(options.tol), duals.shape
    orders = contract.visiting_orders(order, n, options.max_epochs, seed)
    with contract.progress_bar(progress, options.max_epochs) as report:
        if order is None and model.newton_pays(m, options):
            ascend_by_newton(model.X, model.examples.labels, duals, options, seed, recorder, report)
        if recorder.gap > options.tol:
            _ascend_by_coordinates(model, duals, options, order, orders, recorder, report)
    contract.warn_unless_converged(recorder.gap, options.tol, len(recorder.history))
    duals = duals.astype(model.X.dtype)
    return contract.TopKSVMFit(model.result(recorder.answer), duals, *recorder.results())


def _ascend_by_coordinates(model, duals, options, order, orders, recorder, report):
    """Algorithm 1 of 004, with shrinking if no order is given. The duals are changed in place."""
    examples, (n, m) = model.examples, duals.shape
    loss = TopKLoss(KIND_NUMBERS[options.kind], options.k, options.radius, options.sample_weight)
    state, shortlist = DualState(duals, model.weights(duals)), empty_shortlist(n, m)
    for epoch, visiting in enumerate(islice(orders, options.max_epochs - len(recorder.history))):
        if order is not None or epoch == 0:
            visit_all(examples, state, loss, visiting)
        else:
            _visit_listed(model, state, loss, shortlist, int(visiting[0]), options.tol / recorder.gap)
        recorder.replace(*_certify(model, state, loss, options, shortlist))
        if recorder.close_iteration(report):
            break


def _visit_listed(model, state, loss, shortlist, seed, wanted):
    """Make passes over the shortlist; `wanted` is tol / gap."""
    rows = shortlist.rows[: shortlist.sizes[0]].copy()
    goal = max(GOAL, NEAR_GOAL * wanted)
    accelerate = isinstance(model, _Linear) and state.weights.size <= MOST_WEIGHTS_PER_DUAL * shortlist.sizes[1]
    visit_shortlist(model.examples, state, loss, shortlist, rows, seed, goal, accelerate)


def _certify(model, state, loss, options, shortlist):
    """Certify the duals as they are returned, rounded to the dtype of X, and fill the shortlist from the same scores.

    Returns (primal, the weights of these duals, dual).
    """
    exact = model.X.dtype == state.duals.dtype
    returned = state.duals if exact else state.duals.astype(model.X.dtype).astype(np.float64)
    state.weights[:] = weights = model.weights(returned)
    shortlist.sizes[:] = 0
    total = 0.0
    for rows in _chunks(returned):
        scores = model.scores(rows, weights)
        total += list_examples(model.examples, returned, scores, rows.start, loss, shortlist)
    if not exact:
        state.weights[:] = model.weights(state.duals)
    penalty = options.regularization / 2 * model.squared_norm(weights, returned)
    labels = model.examples.labels
    dual = float(options.regularization * returned[np.arange(len(labels)), labels].sum() - penalty)
    return float(penalty + total / len(labels)), weights, dual
