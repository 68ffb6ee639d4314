"""The statements of `reference.entropy_fits`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from . import checks
from .checks.types import Array, Floats, Integers, Matrix

__all__ = ["fit_topk_entropy", "fit_topk_entropy_kernel", "fit_truncated_topk_entropy"]


class EntropyProblem(NamedTuple):
    """The checked arguments of `fit_topk_entropy`, with features X, or of `fit_topk_entropy_kernel`, with K."""

    X: Matrix | None
    K: Floats | None
    y: Integers
    duals: Floats
    n_jobs: int
    progress: bool
    m: int  # the number of classes
    options: checks.SVMOptions
    orders: Iterator[Integers]  # in which epochs visit the examples: as given, or drawn from the seed


class TruncatedProblem(NamedTuple):
    """The checked arguments of `fit_truncated_topk_entropy`."""

    X: Matrix
    y: Integers
    k: int
    regularization: float
    tol: float
    max_iterations: int
    sample_weight: Floats
    weights: Floats | None
    progress: bool
    m: int  # the number of classes

    def fit(self, weights, primal, gradient_norm, iterations, reached):
        """Returns the TruncatedEntropyFit, and warns if the norm of the gradient is above the tolerance.

        `reached` is the norm before the weights were rounded to float32. There is no warning if that is small enough.
        """
        if not (np.isfinite(primal) and np.isfinite(gradient_norm)):
            got = f"got {primal}, gradient {gradient_norm}"
            raise ValueError(f"regularization must leave the objective in range, {got}")
        if not min(gradient_norm, reached) <= self.tol:
            from sklearn.exceptions import ConvergenceWarning

            text = f"gradient norm {gradient_norm:.3g} > tol {self.tol:.3g} after {iterations} iterations"
            checks.warn(text, ConvergenceWarning)
        return checks.TruncatedEntropyFit(weights, float(primal), float(gradient_norm), int(iterations))


def fit_topk_entropy(
    X: Matrix, y: Array, *, k: int = 1, regularization: float, tol: float = 1e-3, max_epochs: int = 1000,
    order: Array | None = None, seed: int = 0, sample_weight: Array | None = None, duals: Matrix | None = None,
    n_jobs: int = 1, progress: bool = False,
) -> EntropyProblem:  # fmt: skip
    r"""Train a linear classifier with the top-k entropy loss to a certified duality gap.

    .. math::

        \arg\min_W \; \tfrac{\lambda}{2} \|W\|^2 + \tfrac1n \sum_{i=1}^n s_i \, \text{loss}(W^\top x_i, y_i)

    Here :math:`\lambda` is `regularization`, :math:`x_i` is row i of `X`, :math:`s_i` is its `sample_weight`, and the
    loss is `topk_entropy`. For k = 1, this is the softmax regression (multinomial logistic regression).

    Parameters
    ----------
    X : array or scipy CSR or CSC matrix, shape (n, d), float32 or float64
        Features, one row an example. There is no intercept. To have one, append a column of ones.
    y : int array, shape (n,)
        Classes 0..m-1, where m <= 2**24 is the largest plus one. A class may be missing.
    k : int in 1..m-1
        The number of guesses, see `topk_entropy`.
    regularization : float, > 0
        :math:`\lambda`. In terms of the usual C, it is :math:`1 / (C n)`.
    tol : float, >= 0
        The relative duality gap at which to stop.
    max_epochs : int, >= 1
        The largest number of epochs.
    order : int array, shape (n,) or (epochs, n), optional
        The order in which each epoch visits the examples, every example once. Drawn from `seed` if not given.
    seed : int
        Seed of the visiting order.
    sample_weight : array, shape (n,), >= 0, optional
        :math:`s_i`, which multiplies the loss of example i. All 1 if not given. n remains the number of rows.
    duals : array or scipy CSR array, shape (n, m), optional
        Starting point, in the dual domain. To continue an earlier fit, rescale its duals by the ratio of
        :math:`1 / (\lambda n)`, new over old. Zeros if not given. They are not changed.
    n_jobs : int
        Number of threads, or -1 for one per processor. The answer does not depend on it.
    progress : bool
        Show a progress bar.

    Returns
    -------
    fit : TopKSVMFit
        weights (d, m), duals (n, m), primal, dual, ``gap = (primal - dual) / primal``, epochs, and history, with one
        record (primal, dual, gap, seconds) an epoch. ``weights = X.T @ duals``. A row of duals sums to 0; its true
        class is >= 0, and its rivals are <= 0. The gap is that of the duals as returned.

    Raises
    ------
    ValueError
        An argument is not as described above: X is empty or not finite, y has one class only, k is outside 1..m-1, ...

    Warns
    -----
    ConvergenceWarning
        The gap is still above `tol` after `max_epochs`. The fit returned is valid, with its true gap.

    References
    ----------
    * Paper (Lapin, Hein, Schiele: Loss Functions for Top-k Error, 2016), section 3.

    Examples
    --------
    >>> X, y = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]]), np.array([0, 1, 2])
    >>> fit = fit_topk_entropy(X, y, regularization=0.1, tol=1e-9)
    >>> (X @ fit.weights).argmax(axis=1)
    array([0, 1, 2])
    """
    X, y, m = checks.features_and_labels(X, y, sparse=True)
    options = checks.svm_options(len(y), m, k, "alpha", regularization, tol, max_epochs, sample_weight)
    return _problem(X, None, y, m, options, order, seed, duals, n_jobs, progress)


def fit_topk_entropy_kernel(
    K: Array, y: Array, *, k: int = 1, regularization: float, tol: float = 1e-3, max_epochs: int = 1000,
    order: Array | None = None, seed: int = 0, sample_weight: Array | None = None, duals: Matrix | None = None,
    n_jobs: int = 1, progress: bool = False,
) -> EntropyProblem:  # fmt: skip
    r"""Train the classifier of `fit_topk_entropy`, given the inner products of the examples.

    .. math::

        \arg\max_A \;\; & \tfrac1n \sum_{i=1}^n s_i H(u_i) - \tfrac{\lambda}{2} \text{trace}(A^\top K A) \\
        \text{subject to} \;\; & A \text{ in the dual domain of the top-k entropy}

    Here :math:`K = X X^\top` stands in for the examples X, and the Notes of `reference.fit_topk_entropy` define H and
    u.

    Parameters
    ----------
    K : array, shape (n, n), float32 or float64
        Inner products of the examples: symmetric and positive semidefinite.
    y, k, regularization, tol, max_epochs, order, seed, sample_weight, duals, n_jobs, progress
        As for `fit_topk_entropy`.

    Returns
    -------
    fit : TopKSVMFit
        As for `fit_topk_entropy`, but weights is None. The scores of the examples are ``K @ duals``. Those of a new
        example are its inner products with the examples, times the duals.

    Raises
    ------
    ValueError
        As for `fit_topk_entropy`; or K is not square, not symmetric, or has a negative number on its diagonal.

    Warns
    -----
    ConvergenceWarning
        The gap is still above `tol` after `max_epochs`. The fit returned is valid, with its true gap.

    References
    ----------
    * Paper (Lapin, Hein, Schiele: Loss Functions for Top-k Error, 2016), section 3.

    Examples
    --------
    >>> X, y = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]]), np.array([0, 0, 1, 1])
    >>> K = (1 + X @ X.T) ** 2  # exclusive or, which no linear rule separates
    >>> fit = fit_topk_entropy_kernel(K, y, regularization=1e-3, tol=1e-6)
    >>> (K @ fit.duals).argmax(axis=1)
    array([0, 0, 1, 1])
    """
    K, y, m = checks.gram_and_labels(K, y)
    options = checks.svm_options(len(y), m, k, "alpha", regularization, tol, max_epochs, sample_weight)
    return _problem(None, K, y, m, options, order, seed, duals, n_jobs, progress)


def fit_truncated_topk_entropy(
    X: Matrix, y: Array, *, k: int = 1, regularization: float, tol: float = 1e-6, max_iterations: int = 1000,
    sample_weight: Array | None = None, weights: Array | None = None, progress: bool = False,
) -> TruncatedProblem:  # fmt: skip
    r"""Find a stationary point of the objective with the truncated top-k entropy loss.

    .. math::

        \tfrac{\lambda}{2} \|W\|^2 + \tfrac1n \sum_{i=1}^n s_i \, \text{loss}(W^\top x_i, y_i)

    Here :math:`\lambda` is `regularization`, :math:`x_i` is row i of `X`, :math:`s_i` is its `sample_weight`, and the
    loss is `truncated_topk_entropy`. The objective is not convex for k > 1, and the weights need not be a global
    minimum: there is no certificate.

    Parameters
    ----------
    X : array or scipy CSR or CSC matrix, shape (n, d), float32 or float64
        Features, one row an example.
    y : int array, shape (n,)
        Classes 0..m-1, where m <= 2**24 is the largest plus one.
    k : int in 1..m-1
        The number of guesses, see `truncated_topk_entropy`.
    regularization : float, > 0
        :math:`\lambda`. In terms of the usual C, it is :math:`1 / (C n)`.
    tol : float, >= 0
        The norm of the gradient at which to stop, relative to the mean of :math:`s_i \|x_i\|`.
    max_iterations : int, >= 1
        The largest number of iterations of L-BFGS.
    sample_weight : array, shape (n,), >= 0, optional
        :math:`s_i`, which multiplies the loss of example i. All 1 if not given. n remains the number of rows.
    weights : array, shape (d, m), optional
        Starting point. The weights of `fit_topk_entropy` if not given. Another one may lead to another local minimum.
    progress : bool
        Show a progress bar.

    Returns
    -------
    fit : TruncatedEntropyFit
        weights (d, m), primal, gradient_norm, and iterations. gradient_norm is the norm of the gradient divided by the
        mean of :math:`s_i \|x_i\|`. Primal and gradient_norm are those of the weights as returned.

    Raises
    ------
    ValueError
        An argument is not as described above: X is empty or not finite, y has one class only, k is outside 1..m-1, ...

    Warns
    -----
    ConvergenceWarning
        The norm of the gradient is above `tol`, and was so before the weights were rounded to float32. The fit returned
        is valid, with its true norm.

    References
    ----------
    * Paper (Lapin, Hein, Schiele: Loss Functions for Top-k Error, 2016), section 2.4.

    Examples
    --------
    >>> X, y = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]]), np.array([0, 1, 2])
    >>> fit = fit_truncated_topk_entropy(X, y, k=2, regularization=0.1)
    >>> fit.gradient_norm <= 1e-6
    True
    """
    X, y, m = checks.features_and_labels(X, y, sparse=True)
    k, regularization = checks.count(k, "k", m - 1), checks.positive(regularization, "regularization")
    tol, max_iterations = checks.nonnegative(tol, "tol"), checks.count(max_iterations, "max_iterations")
    sample_weight, weights = checks.example_weights(sample_weight, X.shape[0]), _start(weights, X.shape[1], m)
    progress = checks.flag(progress, "progress")
    return TruncatedProblem(X, y, k, regularization, tol, max_iterations, sample_weight, weights, progress, m)


def _problem(X, K, y, m, options, order, seed, duals, n_jobs, progress):
    """Returns the problem, whose duals have the domain of "alpha"."""
    orders = checks.visiting_orders(order, len(y), options.max_epochs, seed)
    duals, n_jobs = checks.starting_duals(duals, y, m, options), checks.thread_count(n_jobs)
    return EntropyProblem(X, K, y, duals, n_jobs, checks.flag(progress, "progress"), m, options, orders)


def _start(weights, d, m):
    """Returns given weights (d, m) in float64, or None if none are given."""
    if weights is None:
        return None
    weights = checks.finite_array(checks.real_array(weights, "weights", (2,)), "weights").astype(np.float64)
    if weights.shape != (d, m):
        raise ValueError(f"weights must have shape ({d}, {m}), got {checks.brief(weights)}")
    return weights
