"""The statements of `reference.topk_svm`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from . import checks
from .checks.types import Array, Floats, Integers, Matrix

__all__ = ["fit_topk_svm", "fit_topk_svm_kernel"]


class TopKSVM(NamedTuple):
    """The checked arguments of a fit of the top-k SVM. What a function does not have is None."""

    y: Integers
    m: int  # classes
    options: checks.SVMOptions
    start: Matrix | None  # the given duals: they are checked as they are read
    sparse_duals: bool
    n_jobs: int
    progress: bool
    X: Matrix | None = None  # dense or CSR
    K: Floats | None = None
    orders: Iterator[Integers] | None = None  # in which the epochs visit the examples
    parts: list[Integers] | None = None
    rule: checks.PartsRule | None = None  # of the rounds

    def starting_duals(self) -> Floats:
        """Returns the duals (n, m) to start from, dense and in float64."""
        return checks.starting_duals(self.start, self.y, self.m, self.options)

    def chunks_of_duals(self) -> Iterator[tuple[int, Floats]]:
        """Yields (first example, the duals of some examples from it on), and nothing if none are given."""
        return checks.dual_chunks(self.start, self.y, self.m, self.options)

    def settle(self) -> None:
        """Check the given duals."""
        for _ in self.chunks_of_duals():
            pass


def fit_topk_svm(
    X: Matrix, y: Array, *, k: int = 1, kind: str = "alpha", smoothing: float = 0.0, regularization: float,
    tol: float = 1e-3, max_epochs: int = 1000, order: Array | None = None, seed: int = 0,
    sample_weight: Array | None = None, duals: Matrix | None = None, sparse_duals: bool = False, n_jobs: int = 1,
    progress: bool = False,
) -> TopKSVM:  # fmt: skip
    r"""Train the top-k multiclass SVM to a certified duality gap.

    .. math::

        \arg\min_W \; \tfrac{\lambda}{2} \|W\|^2 + \tfrac1n \sum_{i=1}^n s_i \, \text{loss}(W^\top x_i, y_i)

    Here :math:`\lambda` is `regularization`, :math:`x_i` is row i of `X`, :math:`s_i` is its `sample_weight`, and the
    loss is `topk_hinge`.

    Parameters
    ----------
    X : array or scipy CSR or CSC matrix, shape (n, d), float32 or float64
        Features, one row an example. There is no intercept. To have one, append a column of ones.
    y : int array, shape (n,)
        Classes 0..m-1, where m <= 2**24 is the largest plus one. A class may be missing.
    k : int in 1..m-1
        The loss depends on the k rivals of the true class with the highest scores.
    kind : {"alpha", "beta", "alpha_inclusive"}
        Which top-k hinge loss, see `topk_hinge`.
    smoothing : float, >= 0
        :math:`\gamma` of the smooth top-k hinge loss, see `topk_hinge`. 0 stands for the hinge.
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
    sparse_duals : bool
        Return the duals as a CSR array, which holds those that are not 0.
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
    * Paper 004 (Lapin, Hein, Schiele: Top-k Multiclass SVM, 2015), algorithm 1 with Theorem 1,
      Propositions 2, 4 and 5, equations (4) and (9), and sections 3.2.1 and 5.
    * Paper (Lapin, Hein, Schiele: Loss Functions for Top-k Error, 2016), for smoothing.

    Examples
    --------
    >>> X, y = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]]), np.array([0, 1, 2])
    >>> fit = fit_topk_svm(X, y, regularization=0.1, tol=1e-9)
    >>> (X @ fit.weights).argmax(axis=1)
    array([0, 1, 2])
    """
    X, y, m = checks.features_and_labels(X, y, sparse=True)
    options = checks.svm_options(len(y), m, k, kind, regularization, tol, max_epochs, sample_weight, smoothing)
    orders = checks.visiting_orders(order, len(y), options.max_epochs, seed)
    flags = checks.flag(sparse_duals, "sparse_duals"), checks.thread_count(n_jobs), checks.flag(progress, "progress")
    return TopKSVM(y, m, options, duals, *flags, X=X, orders=orders)


def fit_topk_svm_kernel(
    K: Array, y: Array, *, k: int = 1, kind: str = "alpha", smoothing: float = 0.0, regularization: float,
    tol: float = 1e-3, max_epochs: int = 1000, order: Array | None = None, seed: int = 0,
    sample_weight: Array | None = None, duals: Matrix | None = None, sparse_duals: bool = False, n_jobs: int = 1,
    progress: bool = False,
) -> TopKSVM:  # fmt: skip
    r"""Train the top-k multiclass SVM of `fit_topk_svm`, given the inner products of the examples.

    .. math::

        \arg\max_A \;\; & \lambda \sum_{i=1}^n A_{i, y_i} - \tfrac{\lambda}{2} \text{trace}(A^\top K A) \\
        \text{subject to} \;\; & A \text{ in the dual domain of the loss}

    Here :math:`\lambda` is `regularization`, and :math:`K = X X^\top` stands in for the examples X.

    Parameters
    ----------
    K : array, shape (n, n), float32 or float64
        Inner products of the examples: symmetric and positive semidefinite.
    y, k, kind, smoothing, regularization, tol, max_epochs, order, seed
        As for `fit_topk_svm`.
    sample_weight, duals, sparse_duals, n_jobs, progress
        As for `fit_topk_svm`.

    Returns
    -------
    fit : TopKSVMFit
        As for `fit_topk_svm`, but weights is None. The scores of the examples are ``K @ duals``. Those of a new example
        are its inner products with the examples, times the duals.

    Raises
    ------
    ValueError
        As for `fit_topk_svm`; or K is not square, not symmetric, or has a negative number on its diagonal.

    Warns
    -----
    ConvergenceWarning
        The gap is still above `tol` after `max_epochs`. The fit returned is valid, with its true gap.

    References
    ----------
    * Paper 004 (Lapin, Hein, Schiele: Top-k Multiclass SVM, 2015), section 3.2 with Theorem 1 and algorithm 1.

    Examples
    --------
    >>> X, y = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]]), np.array([0, 0, 1, 1])
    >>> K = (1 + X @ X.T) ** 2  # exclusive or, which no linear rule separates
    >>> fit = fit_topk_svm_kernel(K, y, regularization=1e-3, tol=1e-6)
    >>> (K @ fit.duals).argmax(axis=1)
    array([0, 0, 1, 1])
    """
    K, y, m = checks.gram_and_labels(K, y)
    options = checks.svm_options(len(y), m, k, kind, regularization, tol, max_epochs, sample_weight, smoothing)
    orders = checks.visiting_orders(order, len(y), options.max_epochs, seed)
    flags = checks.flag(sparse_duals, "sparse_duals"), checks.thread_count(n_jobs), checks.flag(progress, "progress")
    return TopKSVM(y, m, options, duals, *flags, K=K, orders=orders)
