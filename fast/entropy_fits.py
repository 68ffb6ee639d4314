"""Linear classifiers with the top-k entropy losses. `reference.entropy_fits` derives the algorithms."""

import warnings

import numpy as np  # noqa: F401 - the examples use it

from reference.problems import checks

from ._svm.entropy.ascent import ascend_entropy
from ._svm.entropy.models import KernelEntropyModel, LinearEntropyModel
from ._svm.entropy.truncated import TruncatedObjective, descend

__all__ = ["fit_topk_entropy", "fit_topk_entropy_kernel", "fit_truncated_topk_entropy"]


def fit_topk_entropy(
    X, y, *, k=1, regularization, tol=1e-3, max_epochs=1000, order=None, seed=0, sample_weight=None, duals=None,
    n_jobs=1, progress=False,
):  # fmt: skip
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

    Notes
    -----
    If `order` is given, each epoch visits all examples once, and the iterates are those of the reference. Otherwise an
    epoch makes several passes of coordinate ascent, and ends with a certificate when the gap is expected to be at most
    `tol`. The order is random; with blocks, it changes little from pass to pass as long as passes gain fast. If the
    regularization is so strong that the losses hardly bend the objective, the first step is one along the gradient, and
    often no pass is needed. If more than a few passes would be left, Newton's method by conjugate gradients takes over;
    its products leave out examples that have hardly any curvature. If it takes longer than the passes would, these go
    on, and each method gets about as much time as the other. With `tol` of 1e-5 or more, passes over blocks of examples
    and products of Newton's method are in float32. Duals and certificates are in float64. The cost is O(n m d) for a
    pass or a product. It takes 8 n m bytes for the duals, as much for Newton's method, and up to 128 MB for
    blocks of dense features in float32 and their inner products. Certificates are distributed over the threads; passes
    and Newton's method are not.

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
    options = checks.entropy_options(X.shape[0], m, k, regularization, tol, max_epochs, sample_weight)
    duals = checks.starting_duals(duals, y, m, options)
    model = LinearEntropyModel(X, y, m, checks.thread_count(n_jobs), duals)
    return ascend_entropy(model, options, order, seed, progress)


def fit_topk_entropy_kernel(
    K, y, *, k=1, regularization, tol=1e-3, max_epochs=1000, order=None, seed=0, sample_weight=None, duals=None,
    n_jobs=1, progress=False,
):  # fmt: skip
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

    Notes
    -----
    Passes and certificates are those of `fit_topk_entropy`. If more than about 100 passes would be left, Newton's
    method takes over. It needs features, which a Cholesky factorization of K gives, as many as the rank of K. The cost
    is :math:`O(n^2 m)` a pass, :math:`O(n \, \text{rank}^2)` once for the factorization, and
    :math:`O(n m \, \text{rank})` a product of Newton's method, which takes :math:`8 n^2 + 8 n \, \text{rank}` bytes.

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
    options = checks.entropy_options(len(K), m, k, regularization, tol, max_epochs, sample_weight)
    duals = checks.starting_duals(duals, y, m, options)
    model = KernelEntropyModel(K, y, m, checks.thread_count(n_jobs), duals)
    return ascend_entropy(model, options, order, seed, progress)


def fit_truncated_topk_entropy(
    X, y, *, k=1, regularization, tol=1e-6, max_iterations=1000, sample_weight=None, weights=None, progress=False
):  # fmt: skip
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

    Notes
    -----
    L-BFGS is SciPy's. The cost is O(n m d) an iteration.

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
    options = checks.truncated_options(X.shape[0], m, k, regularization, tol, max_iterations, sample_weight)
    start = checks.starting_weights(weights, X.shape[1], m)
    progress = checks.flag(progress, "progress")
    objective = TruncatedObjective(X, y, m, options)
    if start is None:
        start = _start(objective.products, y, options)
    return descend(objective, start, progress)


def _start(X, y, options):
    """Returns the weights of `fit_topk_entropy`, in float64. They need not be an optimum."""
    k, regularization, sample_weight = options.k, options.regularization, options.sample_weight
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="gap .* > tol")
        return fit_topk_entropy(X, y, k=k, regularization=regularization, sample_weight=sample_weight).weights
