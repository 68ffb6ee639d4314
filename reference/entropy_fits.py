"""Linear classifiers with the top-k entropy losses: the softmax regression and its relatives for k guesses.

The top-k entropy is trained by stochastic dual coordinate ascent, as the top-k SVM is. Only the step of one example is
another, in `_svm.entropy_step`. The truncated top-k entropy is not convex, so that no dual can prove an optimum. It is
minimised by L-BFGS, which ends where the gradient is small.
"""

import warnings
from time import perf_counter

import numpy as np

from ._svm.entropy_step import best_shares
from .entropy_losses import (
    topk_entropy,
    topk_entropy_gradient,
    truncated_topk_entropy,
    truncated_topk_entropy_gradient,
)
from .problems import checks
from .topk_svm import _Kernel, _Linear

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
    Let :math:`r_i = s_i / (\lambda n)`, let :math:`r_i u_i` be the negated duals of the rivals of example i, and let
    :math:`\sigma_i = \sum_j u_{ij}`. The dual problem is

    .. math::

        \max_u \;\; & \tfrac1n \sum_i s_i H(u_i) - \tfrac{\lambda}{2} \|W\|^2 \\
        \text{subject to} \;\; & 0 \le u_{ij} \le \sigma_i / k, \;\; \sigma_i \le 1 \\
        \text{where} \;\; & H(u) = -\sum_j u_j \log u_j - (1 - \sigma) \log(1 - \sigma)

    H is an entropy. The dual is 0 where all duals are 0, where the ascent begins. At the optimum, :math:`u_{ij}` are
    the probabilities of the rivals if k = 1. The authors' library solves the step of an example with the number of
    rivals at the upper bound, where this number divided by k is right.

    A sparse X is made dense. The cost is O(n m (d + k log m)) an epoch.

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
    X = X.toarray() if hasattr(X, "tocsr") else X
    options = checks.entropy_options(len(X), m, k, regularization, tol, max_epochs, sample_weight)
    orders = checks.visiting_orders(order, len(X), max_epochs, seed)
    duals = checks.starting_duals(duals, y, m, options)
    checks.thread_count(n_jobs)
    return _ascend(_Linear(X, duals), X.dtype, y, options, orders, progress)


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
    A step needs scores only, and :math:`W^\top x_i = A^\top K_i`, where :math:`K_i` is column i of K. The cost is
    :math:`O(n^2 m)` an epoch.

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
    orders = checks.visiting_orders(order, len(K), max_epochs, seed)
    duals = checks.starting_duals(duals, y, m, options)
    checks.thread_count(n_jobs)
    return _ascend(_Kernel(K, duals), K.dtype, y, options, orders, progress)


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
    For k = 1, the objective is convex, and the answer is that of `fit_topk_entropy`. The loss has kinks for k > 1, but
    none at a local minimum: it is the smallest of several smooth losses, so that it decreases from a kink. L-BFGS is
    SciPy's. The cost is O(n m (d + log m)) an iteration.

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
    X = X.toarray() if hasattr(X, "tocsr") else X
    if start is None:
        start = _start(X.astype(np.float64), y, options)
    return _descend(X, y, start, options, checks.flag(progress, "progress"))


def _ascend(model, dtype, y, options, orders, progress):
    """Algorithm 1 of 004, with the step of the top-k entropy."""
    start, history = perf_counter(), []
    with checks.progress_bar(progress, options.max_epochs) as report:
        for visiting in orders:
            for i in visiting:
                row = _best_row(model.scores(i), model.duals[i], model.squared_norms[i], y[i], options.of(i))
                model.set_row(i, row)
            duals = checks.in_range(model.duals, dtype, "duals")
            weights, primal, dual, gap = _certified_gap(model, duals.astype(np.float64), y, options)
            history.append((primal, dual, gap, perf_counter() - start))
            report(gap)
            if gap <= options.tol:
                break
            model.forget_rounding()
    checks.warn_unless_converged(gap, options.tol, len(history), X=getattr(model, "X", None))
    weights = None if weights is None else weights.astype(dtype)
    return checks.TopKSVMFit(weights, duals, primal, dual, gap, len(history), checks.svm_history(history))


def _best_row(scores, row, squared_norm, label, options):
    """Returns the row of duals that maximises the dual objective while all other rows are fixed."""
    rivals, alpha = np.arange(len(row)) != label, options.radius * squared_norm
    others = scores - squared_norm * row  # the scores without this example's own part of W
    if alpha == 0:  # without curvature, the maximiser is the gradient of the loss
        return -options.radius * topk_entropy_gradient(others[None], np.array([label]), options.k)[0]
    x = options.radius * best_shares(others[rivals] - others[label], alpha, options.k)
    best = np.empty(len(row))
    best[rivals], best[label] = -x, x.sum()
    return best


def _certified_gap(model, duals, y, options):
    """Returns (weights, primal, dual, relative gap), all computed from the duals."""
    weights, squared_norm, scores = model.certify(duals)
    penalty = options.regularization / 2 * squared_norm
    checks.finite_array(scores, "the scores of the fit")
    primal = penalty + np.mean(options.sample_weight * topk_entropy(scores, y, options.k))
    dual = np.mean(options.sample_weight * _entropies(duals, y, options)) - penalty
    return weights, float(primal), float(dual), checks.relative_gap(primal, dual)


def _entropies(duals, y, options):
    """Returns H(u_i) of each row of duals. An example of weight 0 has no u_i, and counts 0."""
    n, m = duals.shape
    radius = (options.radius * options.sample_weight)[:, None]
    x = -duals[np.arange(m) != y[:, None]].reshape(n, -1)
    u = np.divide(x, radius, out=np.zeros(x.shape), where=radius > 0)
    sigma = np.minimum(u.sum(axis=1), 1.0)
    logs = np.log(u, out=np.zeros(u.shape), where=u > 0)
    return -(u * logs).sum(axis=1) - (1 - sigma) * np.log1p(-sigma, out=np.zeros(n), where=sigma < 1)


def _start(X, y, options):
    """Returns the weights of `fit_topk_entropy`, in float64. They need not be an optimum."""
    k, regularization, sample_weight = options.k, options.regularization, options.sample_weight
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="gap .* > tol")
        return fit_topk_entropy(X, y, k=k, regularization=regularization, sample_weight=sample_weight).weights


def _descend(X, y, start, options, progress):
    """Minimise by L-BFGS. Returns the TruncatedEntropyFit."""
    from scipy.optimize import minimize

    exact = X.astype(np.float64)
    unit = np.mean(options.sample_weight * np.linalg.norm(exact, axis=1)) or 1.0

    def objective(flat):
        weights = flat.reshape(start.shape)
        scores = checks.finite_array(exact @ weights, "the scores of the fit")
        losses = truncated_topk_entropy(scores, y, options.k)
        slopes = options.sample_weight[:, None] * truncated_topk_entropy_gradient(scores, y, options.k)
        primal = options.regularization / 2 * (weights**2).sum() + np.mean(options.sample_weight * losses)
        gradient = options.regularization * weights + exact.T @ slopes / len(y)
        return primal, gradient.ravel()

    with checks.progress_bar(progress, options.max_iterations, "gradient") as report:
        found = minimize(
            lambda flat: objective(flat),
            start.ravel(),
            jac=True,
            method="L-BFGS-B",
            callback=lambda flat: report(np.linalg.norm(objective(flat)[1]) / unit) if progress else None,
            options={"maxiter": options.max_iterations, "ftol": 0.0, "gtol": options.tol * unit / start.size**0.5},
        )
    weights = found.x.reshape(start.shape).astype(X.dtype)
    primal, gradient = objective(weights.astype(np.float64).ravel())
    norm, reached = np.linalg.norm(gradient) / unit, np.linalg.norm(found.jac) / unit
    return checks.stationary_fit(weights, primal, norm, found.nit, options, reached)
