"""The top-k multiclass SVM by Prox-SDCA with shrinking; `reference.topk_svm` derives the algorithm.

The first epoch visits all examples. What follows is the same in each: the scores of all examples at weights recomputed
from the duals certify the gap, and tell which examples and which of their classes may move; only these are visited,
many times over, before the next look at all. With an order given, nothing is skipped: the iterates are the reference's.
"""

from time import perf_counter

import numpy as np

from reference import contract

from ._shared.examples import gram_examples, linear_examples
from ._svm.conjugate import visit_shortlist
from ._svm.hinge import KIND_NUMBERS
from ._svm.shortlist import empty_shortlist, list_examples
from ._svm.steps import DualState, TopKLoss, recompute_weights, visit_all

__all__ = ["fit_topk_svm", "fit_topk_svm_kernel"]

GOAL = 0.05  # the share of a pass's gain at which a shortlist is done with
CHUNK = 2**20  # scores computed at a time


def fit_topk_svm(
    X, y, *, k=1, kind="alpha", regularization, tol=1e-3, max_epochs=1000, order=None, seed=0, sample_weight=None,
    duals=None, progress=False,
):  # fmt: skip
    """argmin_W regularization/2 |W|^2 + 1/n sum_i s_i loss(W' x_i, y_i): the top-k multiclass SVM, to a certified gap.

    Parameters
    ----------
    X : array or scipy CSR matrix, shape (n, d), float32 or float64
        Features, one row an example. There is no intercept: append a column of ones for one.
    y : int array, shape (n,)
        Classes, 0..m-1 with m the largest plus one; a class may be missing.
    k : int in 1..m-1
        The loss looks at the k best rivals of the true class.
    kind : {"alpha", "beta", "alpha_inclusive"}
        Which top-k hinge loss, see `topk_hinge`.
    regularization : float, > 0
        lambda; 1 / (C n) in terms of the usual C.
    tol : float, >= 0
        The relative duality gap at which to stop.
    max_epochs : int, >= 1
        How many epochs at most; one ends with a look at all examples.
    order : int array, shape (n,) or (epochs, n), optional
        The order in which an epoch visits the examples. If given, it visits each of them, once, and no other way.
    seed : int
        Seed of the visiting order.
    sample_weight : array, shape (n,), >= 0, optional
        s_i, by which the loss of example i is multiplied; 1 if not given. n stays the number of rows.
    duals : array, shape (n, m), optional
        To start from, in the dual domain: those of an earlier fit, times what 1 / (regularization n) has changed by.
        Zeros if not given. They are not changed.
    progress : bool
        Show a progress bar.

    Returns
    -------
    fit : TopKSVMFit
        weights (d, m), duals (n, m), primal, dual, gap = (primal - dual) / primal, epochs, and history, with one record
        (primal, dual, gap, seconds) an epoch. The gap is that of the duals as returned.

    Raises
    ------
    ValueError
        An argument is none of the above: X is empty or not finite, y has one class only, k is outside 1..m-1, ...

    Warns
    -----
    ConvergenceWarning
        The epochs are used up and the gap is still above `tol`. The fit returned is valid, with its true gap.

    Notes
    -----
    Arithmetic is in float64. X is neither copied nor made dense if it is in C order or CSR; float32 values are
    converted as they are read. O(n m d) an epoch, most of it in one matrix product, plus O(d) for each class on the
    shortlist and pass. The passes are made to count for more by conjugate directions.
    Source: 004, algorithm 1; shrinking as in sequential dual methods, with all examples looked at before the end.

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
    """argmax_A lambda sum_i A[i, y_i] - lambda/2 trace(A' K A)  subject to  the dual domain of the loss.

    The kernel twin of `fit_topk_svm`.

    Parameters
    ----------
    K : array, shape (n, n), float32 or float64
        Inner products of the examples: symmetric, positive semidefinite.
    y, k, kind, regularization, tol, max_epochs, order, seed, sample_weight, duals, progress
        As for `fit_topk_svm`.

    Returns
    -------
    fit : TopKSVMFit
        weights is None; the scores of the examples are K @ duals, and those of new ones are their inner products with
        the examples, times duals.

    Raises
    ------
    ValueError
        As for `fit_topk_svm`; K is not square or not symmetric, or its diagonal has a negative number.

    Warns
    -----
    ConvergenceWarning
        The epochs are used up and the gap is still above `tol`.

    Notes
    -----
    O(n^2 m) an epoch, plus O(n) for each class on the shortlist.
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
        weights = np.empty((duals.shape[1], self.width))
        recompute_weights(self.examples, duals, weights)
        return weights

    def result(self, weights):
        return np.ascontiguousarray(weights.T).astype(self.X.dtype)

    def squared_norm(self, weights, duals):
        return np.vdot(weights, weights)

    def scores(self, rows, weights):
        return self.X[rows].astype(np.float64, copy=False) @ weights.T


class _Kernel:
    """Inner products in place of features, and duals in place of weights."""

    def __init__(self, K, y):
        self.X = np.ascontiguousarray(np.asarray(K))
        self.examples = gram_examples(self.X, y)

    def weights(self, duals):
        return np.ascontiguousarray(duals.T)

    def result(self, weights):
        return None

    def squared_norm(self, weights, duals):
        return sum(np.vdot(duals[rows], self.scores(rows, weights)) for rows in _chunks(duals))

    scores = _Linear.scores


def _chunks(duals):
    n, m = duals.shape
    size = max(CHUNK // m, 1)
    return [slice(start, min(start + size, n)) for start in range(0, n, size)]


def _ascend(model, duals, options, order, seed, progress):
    """Algorithm 1 of 004, shrunk where no order is given."""
    start, history = perf_counter(), []
    examples, (n, m) = model.examples, duals.shape
    loss = TopKLoss(KIND_NUMBERS[options.kind], options.k, options.radius, options.sample_weight)
    state, shortlist = DualState(duals, model.weights(duals)), empty_shortlist(n, m)
    orders = contract.visiting_orders(order, n, options.max_epochs, seed)
    with contract.progress_bar(progress, options.max_epochs) as report:
        for visiting in orders:
            if order is not None or not history:
                visit_all(examples, state, loss, visiting)
            else:
                _visit_listed(model, state, loss, shortlist, int(visiting[0]), options.tol / history[-1][2])
            weights, record = _certify(model, state, loss, options, shortlist)
            history.append((*record, perf_counter() - start))
            report(record[2])
            if record[2] <= options.tol:
                break
    primal, dual, gap = record
    contract.warn_unless_converged(gap, options.tol, len(history))
    duals = state.duals.astype(model.X.dtype)
    return contract.TopKSVMFit(
        model.result(weights), duals, primal, dual, gap, len(history), contract.svm_history(history)
    )


def _visit_listed(model, state, loss, shortlist, seed, wanted):
    rows = shortlist.rows[: shortlist.sizes[0]].copy()
    goal = max(GOAL, 0.3 * wanted)
    accelerate = isinstance(model, _Linear) and state.weights.size <= 8 * shortlist.sizes[1]
    visit_shortlist(model.examples, state, loss, shortlist, rows, seed, goal, accelerate)


def _certify(model, state, loss, options, shortlist):
    """Weights and gap of the duals as they would be returned; the shortlist is filled from the scores on the way."""
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
    primal = float(penalty + total / len(labels))
    dual = float(options.regularization * returned[np.arange(len(labels)), labels].sum() - penalty)
    return weights, (primal, dual, contract.relative_gap(primal, dual))
