"""Linear classifiers with the top-k entropy losses: the softmax regression and its relatives for k guesses.

The top-k entropy is trained by stochastic dual coordinate ascent, as the top-k SVM is. Only the step of one example is
another, in `_svm.entropy_step`. The truncated top-k entropy is not convex, so that no dual can prove an optimum. It is
minimised by L-BFGS, which ends where the gradient is small.
"""

from __future__ import annotations

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
from .problems import entropy_fits as problems
from .problems.checks.types import Array, Matrix
from .topk_svm import _Kernel, _Linear

__all__ = ["fit_topk_entropy", "fit_topk_entropy_kernel", "fit_truncated_topk_entropy"]


@checks.documented_by(problems.fit_topk_entropy)
def fit_topk_entropy(
    X: Matrix, y: Array, *, k: int = 1, regularization: float, tol: float = 1e-3, max_epochs: int = 1000,
    order: Array | None = None, seed: int = 0, sample_weight: Array | None = None, duals: Matrix | None = None,
    n_jobs: int = 1, progress: bool = False,
) -> checks.TopKSVMFit:  # fmt: skip
    r"""Train a linear classifier with the top-k entropy loss to a certified duality gap.

    .. math::

        \arg\min_W \; \tfrac{\lambda}{2} \|W\|^2 + \tfrac1n \sum_{i=1}^n s_i \, \text{loss}(W^\top x_i, y_i)

    Here :math:`\lambda` is `regularization`, :math:`x_i` is row i of `X`, :math:`s_i` is its `sample_weight`, and the
    loss is `topk_entropy`. For k = 1, this is the softmax regression (multinomial logistic regression).

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
    """
    problem = problems.fit_topk_entropy(
        X, y, k=k, regularization=regularization, tol=tol, max_epochs=max_epochs, order=order, seed=seed,
        sample_weight=sample_weight, duals=duals, n_jobs=n_jobs, progress=progress,
    )  # fmt: skip
    X = problem.X.toarray() if hasattr(problem.X, "tocsr") else problem.X
    return _ascend(_Linear(X, problem.duals), X.dtype, problem)


@checks.documented_by(problems.fit_topk_entropy_kernel)
def fit_topk_entropy_kernel(
    K: Array, y: Array, *, k: int = 1, regularization: float, tol: float = 1e-3, max_epochs: int = 1000,
    order: Array | None = None, seed: int = 0, sample_weight: Array | None = None, duals: Matrix | None = None,
    n_jobs: int = 1, progress: bool = False,
) -> checks.TopKSVMFit:  # fmt: skip
    r"""Train the classifier of `fit_topk_entropy`, given the inner products of the examples.

    .. math::

        \arg\max_A \;\; & \tfrac1n \sum_{i=1}^n s_i H(u_i) - \tfrac{\lambda}{2} \text{trace}(A^\top K A) \\
        \text{subject to} \;\; & A \text{ in the dual domain of the top-k entropy}

    Here :math:`K = X X^\top` stands in for the examples X, and the Notes of `reference.fit_topk_entropy` define H and
    u.

    Notes
    -----
    A step needs scores only, and :math:`W^\top x_i = A^\top K_i`, where :math:`K_i` is column i of K. The cost is
    :math:`O(n^2 m)` an epoch.
    """
    problem = problems.fit_topk_entropy_kernel(
        K, y, k=k, regularization=regularization, tol=tol, max_epochs=max_epochs, order=order, seed=seed,
        sample_weight=sample_weight, duals=duals, n_jobs=n_jobs, progress=progress,
    )  # fmt: skip
    return _ascend(_Kernel(problem.K, problem.duals), problem.K.dtype, problem)


@checks.documented_by(problems.fit_truncated_topk_entropy)
def fit_truncated_topk_entropy(
    X: Matrix, y: Array, *, k: int = 1, regularization: float, tol: float = 1e-6, max_iterations: int = 1000,
    sample_weight: Array | None = None, weights: Array | None = None, progress: bool = False,
) -> checks.TruncatedEntropyFit:  # fmt: skip
    r"""Find a stationary point of the objective with the truncated top-k entropy loss.

    .. math::

        \tfrac{\lambda}{2} \|W\|^2 + \tfrac1n \sum_{i=1}^n s_i \, \text{loss}(W^\top x_i, y_i)

    Here :math:`\lambda` is `regularization`, :math:`x_i` is row i of `X`, :math:`s_i` is its `sample_weight`, and the
    loss is `truncated_topk_entropy`. The objective is not convex for k > 1, and the weights need not be a global
    minimum: there is no certificate.

    Notes
    -----
    For k = 1, the objective is convex, and the answer is that of `fit_topk_entropy`. The loss has kinks for k > 1, but
    none at a local minimum: it is the smallest of several smooth losses, so that it decreases from a kink. L-BFGS is
    SciPy's. The cost is O(n m (d + log m)) an iteration.
    """
    problem = problems.fit_truncated_topk_entropy(
        X, y, k=k, regularization=regularization, tol=tol, max_iterations=max_iterations, sample_weight=sample_weight,
        weights=weights, progress=progress,
    )  # fmt: skip
    X = problem.X.toarray() if hasattr(problem.X, "tocsr") else problem.X
    start = _start(X.astype(np.float64), problem) if problem.weights is None else problem.weights
    return _descend(X, start, problem)


def _ascend(model, dtype, problem):
    """Algorithm 1 of 004, with the step of the top-k entropy."""
    start, history, y, options = perf_counter(), [], problem.y, problem.options
    with checks.progress_bar(problem.progress, options.max_epochs) as report:
        for visiting in problem.orders:
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


def _start(X, problem):
    """Returns the weights of `fit_topk_entropy`, in float64. They need not be an optimum."""
    options = {name: getattr(problem, name) for name in ("k", "regularization", "sample_weight")}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="gap .* > tol")
        return fit_topk_entropy(X, problem.y, **options).weights


def _descend(X, start, problem):
    """Minimise by L-BFGS. Returns the TruncatedEntropyFit."""
    from scipy.optimize import minimize

    exact, y, s = X.astype(np.float64), problem.y, problem.sample_weight
    unit = np.mean(s * np.linalg.norm(exact, axis=1)) or 1.0

    def objective(flat):
        weights = flat.reshape(start.shape)
        scores = checks.finite_array(exact @ weights, "the scores of the fit")
        losses = truncated_topk_entropy(scores, y, problem.k)
        slopes = s[:, None] * truncated_topk_entropy_gradient(scores, y, problem.k)
        primal = problem.regularization / 2 * (weights**2).sum() + np.mean(s * losses)
        gradient = problem.regularization * weights + exact.T @ slopes / len(y)
        return primal, gradient.ravel()

    with checks.progress_bar(problem.progress, problem.max_iterations, "gradient") as report:
        found = minimize(
            lambda flat: objective(flat),
            start.ravel(),
            jac=True,
            method="L-BFGS-B",
            callback=lambda flat: report(np.linalg.norm(objective(flat)[1]) / unit) if problem.progress else None,
            options={"maxiter": problem.max_iterations, "ftol": 0.0, "gtol": problem.tol * unit / start.size**0.5},
        )
    weights = found.x.reshape(start.shape).astype(X.dtype)
    primal, gradient = objective(weights.astype(np.float64).ravel())
    norm, reached = np.linalg.norm(gradient) / unit, np.linalg.norm(found.jac) / unit
    return problem.fit(weights, primal, norm, found.nit, reached)
