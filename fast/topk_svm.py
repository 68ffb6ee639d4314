"""The top-k multiclass SVM by Prox-SDCA with shrinking. `reference.topk_svm` derives the algorithm."""

import numpy as np  # noqa: F401 - the examples use it

from reference import contract

from ._svm.ascent import ascend
from ._svm.models import KernelModel, LinearModel

__all__ = ["fit_topk_svm", "fit_topk_svm_kernel"]


def fit_topk_svm(
    X, y, *, k=1, kind="alpha", smoothing=0.0, regularization, tol=1e-3, max_epochs=1000, order=None, seed=0,
    sample_weight=None, duals=None, sparse_duals=False, n_jobs=1, progress=False,
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
    smoothing : float, >= 0
        gamma of the smooth top-k hinge loss, see `topk_hinge`. With 0 it is the hinge.
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
    duals : array or scipy CSR array, shape (n, m), optional
        Starting point, in the dual domain. To continue an earlier fit, rescale its duals by the ratio of
        1 / (regularization n), new over old. Zeros if not given. They are not changed.
    sparse_duals : bool
        Return the duals as a CSR array, which holds those that are not 0.
    n_jobs : int
        Number of threads, or -1 for one per processor. The answer does not depend on it.
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
    Duals are lists of 12 bytes for each class that has one or may get one. A list of more than two thirds of the
    classes holds them all, in 8 bytes each. So training takes memory in proportion to the duals that are not 0, and a
    dense result takes 8 n m bytes more only as the lists are given up.
    The looks at all examples are distributed over the threads. The passes between them are not, and neither are the
    steps of Newton's method: each dual step changes the weights that the next one reads.

    Newton's method takes over if there are few weights for the examples, as its time hardly depends on lambda: if
    n >= 1000, d m <= 2000, (d m)^2 <= 100 n, the mean of s_i |x_i|^2 is at least 0.1 lambda n, and no order is given.
    An epoch is then a step of the proximal point method, with several passes over the examples. It takes
    O(n m d + (d m)^3) time for each of them, 12 (d m)^2 bytes, and 8 n m bytes for the duals. If the gap stops
    decreasing above `tol`, coordinate ascent continues.
    Source: 004, algorithm 1; shrinking as in sequential dual methods; Li, Sun and Toh 2018 for Newton's method.

    Examples
    --------
    >>> X, y = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]]), np.array([0, 1, 2])
    >>> fit = fit_topk_svm(X, y, regularization=0.1, tol=1e-9)
    >>> (X @ fit.weights).argmax(axis=1)
    array([0, 1, 2])
    """
    X, y, m = contract.features_and_labels(X, y, sparse=True)
    options = contract.svm_options(X.shape[0], m, k, kind, regularization, tol, max_epochs, sample_weight, smoothing)
    start, sparse_duals = contract.dual_chunks(duals, y, m, options), contract.flag(sparse_duals, "sparse_duals")
    model = LinearModel(X, y, m, contract.thread_count(n_jobs))
    return ascend(model, start, options, order, seed, progress, sparse_duals)


def fit_topk_svm_kernel(
    K, y, *, k=1, kind="alpha", smoothing=0.0, regularization, tol=1e-3, max_epochs=1000, order=None, seed=0,
    sample_weight=None, duals=None, sparse_duals=False, n_jobs=1, progress=False,
):  # fmt: skip
    """argmax_A lambda sum_i A[i, y_i] - lambda/2 trace(A' K A)  subject to  A in the dual domain of the loss.

    The top-k multiclass SVM of `fit_topk_svm`, given the inner products K = X X' instead of X.

    Parameters
    ----------
    K : array, shape (n, n), float32 or float64
        Inner products of the examples: symmetric and positive semidefinite.
    y, k, kind, smoothing, regularization, tol, max_epochs, order, seed, sample_weight, duals, sparse_duals, n_jobs,
    progress
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
    options = contract.svm_options(len(K), m, k, kind, regularization, tol, max_epochs, sample_weight, smoothing)
    start, sparse_duals = contract.dual_chunks(duals, y, m, options), contract.flag(sparse_duals, "sparse_duals")
    model = KernelModel(K, y, m, contract.thread_count(n_jobs))
    return ascend(model, start, options, order, seed, progress, sparse_duals)
