"""The top-k multiclass SVM, trained by proximal stochastic dual coordinate ascent.

The algorithm in English::

    Until the relative duality gap is small:
        for each example i, in random order:
            compute its scores from the weights W;
            find the row of duals that raises the dual objective most while all other rows stay (a biased projection);
            move W along x_i by the change of the row.
        Recompute W from the duals, and with it both objectives: their gap is a certificate.

The duals are 0 at first. `problems/topk_svm.py` describes the arguments, and `checks.SVMOptions` has their names here.

Source: Paper 004 (Lapin, Hein, Schiele: Top-k Multiclass SVM, 2015), sections 3 and 5, algorithm 1.
"""

from __future__ import annotations

from time import perf_counter

import numpy as np

from .losses import _project_dual_domain, topk_hinge
from .problems import checks
from .problems import topk_svm as problems
from .problems.checks.types import Array, Matrix

__all__ = ["fit_topk_svm", "fit_topk_svm_kernel"]


@checks.documented_by(problems.fit_topk_svm)
def fit_topk_svm(
    X: Matrix, y: Array, *, k: int = 1, kind: str = "alpha", smoothing: float = 0.0, regularization: float,
    tol: float = 1e-3, max_epochs: int = 1000, order: Array | None = None, seed: int = 0,
    sample_weight: Array | None = None, duals: Matrix | None = None, sparse_duals: bool = False, n_jobs: int = 1,
    progress: bool = False,
) -> checks.TopKSVMFit:  # fmt: skip
    r"""Train the top-k multiclass SVM to a certified duality gap.

    .. math::

        \arg\min_W \; \tfrac{\lambda}{2} \|W\|^2 + \tfrac1n \sum_{i=1}^n s_i \, \text{loss}(W^\top x_i, y_i)

    Here :math:`\lambda` is `regularization`, :math:`x_i` is row i of `X`, :math:`s_i` is its `sample_weight`, and the
    loss is `topk_hinge`.

    Notes
    -----
    Let :math:`r = 1 / (\lambda n)`, and let A hold the duals, one row an example, so that :math:`W = X^\top A`. A row
    has :math:`-a_i` for the rivals, which are all classes but the true one, and :math:`\sum_j a_{ij}` for the true
    class. This is Theorem 1 with the conjugate of Proposition 2, in terms of :math:`a_i`, the x of Proposition 4:

    .. math::

        \max_a \;\; & \lambda \sum_i \langle 1, a_i \rangle - \tfrac{\lambda}{2} \|W\|^2 \\
        \text{subject to} \;\; & a_i \in \Delta(s_i r)

    For alpha, whose top k runs over the rivals alone, :math:`\Delta(r)` is the top-k simplex. For beta, equation (5),
    it is the capped simplex with the upper bound r/k. For alpha_inclusive, equation (3) as it is printed, it is
    :math:`\{a \ge 0, \sum_j a_j \le r, a_j \le \min(r/k, \sum_j a_j / (k-1))\}`, and the same as for alpha if k = 1.

    The step of example i is Proposition 4. Let :math:`h_j` be the score of rival j minus that of the true class,
    without this example's own duals. Then the new :math:`a_i` is

    .. math::

        \arg\min_a \;\; & \tfrac12 \|b - a\|^2 + \tfrac{\rho}{2} \left( \sum_j a_j \right)^2 \\
        \text{subject to} \;\; & a \in \Delta(s_i r) \\
        \text{where} \;\; & b = (1 + h) / \|x_i\|^2, \;\; \rho = 1

    With smoothing :math:`\gamma` (Lapin, Hein and Schiele 2016), the dual is less by
    :math:`\lambda \sum_i \gamma / (2 s_i r) \, \|a_i\|^2`. The step has the curvature
    :math:`e = \|x_i\|^2 + \gamma / (s_i r)` then, with :math:`b = (1 + h) / e` and :math:`\rho = \|x_i\|^2 / e`.
    Without smoothing, an example with :math:`x_i = 0` has no curvature, and its step is a linear programme.

    A sparse X is made dense. The cost is O(n m (d + log m + k)) an epoch.
    """
    problem = problems.fit_topk_svm(
        X, y, k=k, kind=kind, smoothing=smoothing, regularization=regularization, tol=tol, max_epochs=max_epochs,
        order=order, seed=seed, sample_weight=sample_weight, duals=duals, sparse_duals=sparse_duals, n_jobs=n_jobs,
        progress=progress,
    )  # fmt: skip
    X = problem.X.toarray() if hasattr(problem.X, "tocsr") else problem.X
    return _ascend(_Linear(X, problem.starting_duals()), X.dtype, problem)


@checks.documented_by(problems.fit_topk_svm_kernel)
def fit_topk_svm_kernel(
    K: Array, y: Array, *, k: int = 1, kind: str = "alpha", smoothing: float = 0.0, regularization: float,
    tol: float = 1e-3, max_epochs: int = 1000, order: Array | None = None, seed: int = 0,
    sample_weight: Array | None = None, duals: Matrix | None = None, sparse_duals: bool = False, n_jobs: int = 1,
    progress: bool = False,
) -> checks.TopKSVMFit:  # fmt: skip
    r"""Train the top-k multiclass SVM of `fit_topk_svm`, given the inner products of the examples.

    .. math::

        \arg\max_A \;\; & \lambda \sum_{i=1}^n A_{i, y_i} - \tfrac{\lambda}{2} \text{trace}(A^\top K A) \\
        \text{subject to} \;\; & A \text{ in the dual domain of the loss}

    Here :math:`\lambda` is `regularization`, and :math:`K = X X^\top` stands in for the examples X.

    Notes
    -----
    Line 7 of algorithm 1 needs scores only, and :math:`W^\top x_i = A^\top K_i`, where :math:`K_i` is column i of K.
    The cost is :math:`O(n^2 m)` an epoch.
    """
    problem = problems.fit_topk_svm_kernel(
        K, y, k=k, kind=kind, smoothing=smoothing, regularization=regularization, tol=tol, max_epochs=max_epochs,
        order=order, seed=seed, sample_weight=sample_weight, duals=duals, sparse_duals=sparse_duals, n_jobs=n_jobs,
        progress=progress,
    )  # fmt: skip
    return _ascend(_Kernel(problem.K, problem.starting_duals()), problem.K.dtype, problem)


def _with_sparse_duals(fit):
    duals = checks.assembled_duals([(0, fit.duals)], *fit.duals.shape, fit.duals.dtype, sparse_duals=True)
    return fit._replace(duals=duals)


class _Linear:
    """Duals A and the weights W = X' A that belong to them."""

    def __init__(self, X, duals):
        self.X = X.astype(np.float64)
        self.squared_norms = checks.squared_norms(np.einsum("ij,ij->i", self.X, self.X), "X")
        self.duals, self.weights = duals, self.X.T @ duals

    def scores(self, i):
        return self.X[i] @ self.weights

    def set_row(self, i, row):
        self.weights += np.outer(self.X[i], row - self.duals[i])
        self.duals[i] = row

    def certify(self, duals):
        """Returns (the weights of these duals, their squared norm, the scores of all examples)."""
        weights = self.X.T @ duals
        return weights, (weights**2).sum(), self.X @ weights

    def forget_rounding(self):
        """Recompute W = X' A. Within an epoch W is only updated, so that its rounding errors accumulate."""
        self.weights = self.X.T @ self.duals


class _Kernel:
    """Duals A. Only the inner products of their weights with the examples are known."""

    def __init__(self, K, duals):
        self.K = K.astype(np.float64)
        self.squared_norms = checks.squared_norms(self.K.diagonal(), "K")
        self.duals = duals

    def scores(self, i):
        return self.K[i] @ self.duals

    def set_row(self, i, row):
        self.duals[i] = row

    def certify(self, duals):
        scores = self.K @ duals
        return None, (duals * scores).sum(), scores

    def forget_rounding(self):
        """Only the duals are stored, and they are exact."""


def _ascend(model, dtype, problem):
    """Algorithm 1 of 004."""
    y, options, start, history = problem.y, problem.options, perf_counter(), []
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
    fit = checks.TopKSVMFit(weights, duals, primal, dual, gap, len(history), checks.svm_history(history))
    return _with_sparse_duals(fit) if problem.sparse_duals else fit


def _best_row(scores, row, squared_norm, label, options):
    """Returns the row of duals that maximises the dual objective while all other rows are fixed (section 3.2.1)."""
    rivals = np.arange(len(row)) != label
    curvature = squared_norm + (options.smoothing / options.radius if options.smoothing and options.radius else 0.0)
    if curvature < np.finfo(np.float64).tiny or options.radius == 0:
        x = _linear_programme(len(row) - 1, options)
    else:
        others = scores - squared_norm * row  # the scores without this example's own part of W
        b = (others[rivals] + 1 - others[label]) / curvature
        x = _project_dual_domain(b, options.k, options.kind, options.radius, squared_norm / curvature)
    best = np.empty(len(row))
    best[rivals], best[label] = -x, x.sum()
    return best


def _linear_programme(n_rivals, options):
    """argmax_x sum x over the dual domain, the step of an example with |x| = 0 and no smoothing.

    Without curvature there is no projection. The k lowest-indexed rivals at r/k are an optimal vertex for every kind.
    """
    x = np.zeros(n_rivals)
    x[: options.k] = options.radius / options.k
    return x


def _certified_gap(model, duals, y, options):
    """Returns (weights, primal, dual, relative gap) of Theorem 1, all computed from the duals."""
    weights, squared_norm, scores = model.certify(duals)
    penalty = options.regularization / 2 * squared_norm
    checks.finite_array(scores, "the scores of the fit")
    losses = topk_hinge(scores, y, options.k, options.kind, options.smoothing)
    primal = penalty + np.mean(options.sample_weight * losses)
    dual = options.regularization * duals[np.arange(len(y)), y].sum() - penalty
    if options.smoothing:
        dual -= np.mean(_smoothing_terms(duals, y, options))
    return weights, float(primal), float(dual), checks.relative_gap(primal, dual)


def _smoothing_terms(duals, y, options):
    """Returns s_i gamma/2 |u_i|^2 of each example, with u_i = a_i / (s_i r). It is 0 where s_i is."""
    radius = (options.radius * options.sample_weight)[:, None]
    rivals = np.arange(duals.shape[1]) != y[:, None]
    u = np.divide(duals, radius, out=np.zeros(duals.shape), where=rivals & (radius > 0))
    return options.sample_weight * (options.smoothing / 2) * (u**2).sum(axis=1)
