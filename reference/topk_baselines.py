r"""TopPush and SVMperf, two baselines for the top-k SVM.

Both rank samples, each of which is relevant (positive) or not (negative). Section 2.3 of the paper reduces a multiclass
problem to this: sample (i, j) is :math:`x_i` placed in block j of a space with m d dimensions, and it is relevant if j
is the class of example i. Its score :math:`\langle w_j, x_i \rangle` is an entry of X W. So the reduction only takes
flags (n, m) and weights (d, m).

TopPush: every positive should be above the highest negative. In English, in the dual::

    Give each positive a dual a >= 0 and each negative a dual b >= 0, with sum a = sum b.
    Repeat: take a gradient step with momentum, then project onto such duals, which is a knapsack problem.

SVMperf: of all ways to predict exactly k samples positive, the one with the largest loss plus score is a cutting plane.

In both, a row may have a weight, which is the number of its copies.

Source: Paper 004 (Lapin, Hein, Schiele: Top-k Multiclass SVM, 2015), sections 2.3 and 6.2.
"""

from __future__ import annotations

from time import perf_counter
from typing import NamedTuple

import numpy as np

from ._projections.knapsack import knapsack_row
from ._svm.selections import select_by_planes
from .problems import checks
from .problems import topk_baselines as problems
from .problems.checks.types import Array, Matrix

__all__ = ["fit_top_push", "fit_svm_perf"]


@checks.documented_by(problems.fit_top_push)
def fit_top_push(
    X: Matrix, relevant: Array, *, regularization: float, tol: float = 1e-3, max_iterations: int = 1000, seed: int = 0,
    sample_weight: Array | None = None, duals: Array | None = None, progress: bool = False,
) -> checks.TopRankFit:  # fmt: skip
    r"""Train TopPush, which ranks every positive above the highest negative, to a certified duality gap.

    .. math::

        \arg\min_w \; \tfrac{\lambda}{2} \|w\|^2
        + \tfrac1P \sum_{i \text{ positive}} s_i \max(0, \; 1 + \max_{j \text{ negative}} f_j - f_i)^2

    Here :math:`\lambda` is `regularization`, f are the scores X w, :math:`s_i` is `sample_weight`, and P is the sum of
    the weights of the positives.

    Notes
    -----
    Let :math:`a_i` be the duals of the positives and v the duals of all samples. The dual problem is

    .. math::

        \max \; \tfrac1P \sum_i \left( a_i - \frac{a_i^2}{4 s_i} \right) - \frac{\|X^\top v\|^2}{2 \lambda P^2}

    and :math:`w = X^\top v / (\lambda P)`. Each iteration is an accelerated gradient step over all samples, and uses no
    seed. The conditioning of X decides how many it takes. The cost is O(n m d) an iteration.
    """
    problem = problems.fit_top_push(
        X, relevant, regularization=regularization, tol=tol, max_iterations=max_iterations, seed=seed,
        sample_weight=sample_weight, duals=duals, progress=progress,
    )  # fmt: skip
    X, relevant, weights, duals = _counted(problem)
    fit = _push(_push_problem(X, relevant, weights, problem.regularization), duals, problem)
    return problem.of_all(fit._replace(weights=fit.weights.astype(X.dtype)))


def _counted(problem):
    """Returns (X, flags, weights, duals) of the rows that count. Sums must not depend on the layout of X."""
    X, *others = problem.counted()
    return X if hasattr(X, "tocsr") else np.ascontiguousarray(X), *others


class _PushProblem(NamedTuple):
    """Rows of positive weight, the shares s_i of their samples (1 for negatives), P, and lambda."""

    X: np.ndarray
    relevant: np.ndarray
    shares: np.ndarray  # like relevant
    total: float
    regularization: float


def _push_problem(X, relevant, weights, regularization):
    """Returns the problem, with weights (n,) of the rows relative to the largest of a positive.

    A weight so small that it would become 0 is replaced by a larger one, which changes nothing but roundings.
    """
    weights = np.maximum(weights, np.finfo(np.float64).tiny)
    shares = np.where(relevant, weights if relevant.ndim == 1 else weights[:, None], 1.0)
    return _PushProblem(X, relevant, shares, shares[relevant].sum(), regularization)


def _push(problem, duals, options):
    """Returns the fit of TopPush in float64."""
    start, history, best, dual = perf_counter(), [], (np.inf, None), (-np.inf, None)
    ascent = _accelerated_ascent(problem, duals)
    quiet = np.errstate(over="ignore", invalid="ignore")  # relative_gap refuses what is not finite
    with quiet, checks.progress_bar(options.progress, options.max_iterations) as report:
        while len(history) < options.max_iterations:
            duals, weights = next(ascent)
            returned = weights.astype(problem.X.dtype).astype(np.float64)
            best = min(best, (_push_primal(problem, returned), returned), key=lambda pair: pair[0])
            dual = max(dual, (_push_dual(problem, duals, weights), duals), key=lambda pair: pair[0])
            gap = checks.relative_gap(best[0], dual[0])
            history.append((best[0], dual[0], gap, perf_counter() - start))
            report(gap)
            if gap <= options.tol:
                break
    checks.warn_unless_converged(gap, options.tol, len(history), "iterations", X=problem.X)
    history = checks.svm_history(history)
    return checks.TopRankFit(best[1], dual[1], best[0], dual[0], gap, len(history), history)


def _accelerated_ascent(problem, duals):
    """Yields (duals, weights) after each step of Nesterov's method, restarted if a step turns against the momentum.

    A step is in the variables u_i = a_i / sqrt(s_i), in which all positives have the same curvature.
    """
    X, relevant, roots = problem.X, problem.relevant, np.sqrt(problem.shares)
    scale, curvature, momentum = problem.regularization * problem.total, 1.0, 1.0
    lower, upper = np.where(relevant, 0.0, -np.inf).ravel(), np.where(relevant, np.inf, 0.0).ravel()
    u = duals / roots
    ahead, scores = u, X @ (X.T @ (roots * u)) / scale
    ahead_scores = scores
    while True:
        gradient = np.where(relevant, roots - ahead / 2, 0.0) - roots * ahead_scores
        while True:
            point = (ahead + gradient / curvature).ravel()
            new = knapsack_row(point, 0.0, lower, upper, roots.ravel())[0].reshape(u.shape)
            step = new - ahead
            bend = np.sum((X.T @ (roots * step)) ** 2) / scale + np.sum(step[relevant] ** 2) / 2
            checks.finite_objective((bend, curvature))
            if bend <= curvature * np.sum(step**2):
                break
            curvature = 2 * curvature
        if np.sum((ahead - new) * (new - u)) > 0:
            momentum = 1.0
        next_momentum = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
        speed, momentum = (momentum - 1) / next_momentum, next_momentum
        weights = X.T @ (roots * new) / scale
        new_scores = X @ weights
        ahead, ahead_scores = new + speed * (new - u), new_scores + speed * (new_scores - scores)
        u, scores = new, new_scores
        yield roots * u, weights


def _push_primal(problem, weights):
    scores, relevant = problem.X @ weights, problem.relevant
    violations = np.maximum(0, 1 + scores[~relevant].max() - scores[relevant])
    mean = np.sum(problem.shares[relevant] * violations**2) / problem.total
    return float(problem.regularization / 2 * np.sum(weights**2) + mean)


def _push_dual(problem, duals, weights):
    a, s = duals[problem.relevant], problem.shares[problem.relevant]
    return float(np.sum(a - a * (a / s) / 4) / problem.total - problem.regularization / 2 * np.sum(weights**2))


@checks.documented_by(problems.fit_svm_perf)
def fit_svm_perf(
    X: Matrix, relevant: Array, *, k: float, loss: str = "recall", regularization: float, tol: float = 1e-3,
    max_iterations: int = 1000, seed: int = 0, sample_weight: Array | None = None, duals: Array | None = None,
    progress: bool = False,
) -> checks.TopRankFit:  # fmt: skip
    r"""Train SVMperf for recall or precision among k predicted positives, to a certified duality gap.

    .. math::

        \arg\min_w \; \tfrac{\lambda}{2} \|w\|^2
        + \max \left( 0, \; \max_{|S| = k} \; \text{loss}(S) + F(S) - F(\text{positives}) \right)

    Here :math:`\lambda` is `regularization`, and S is the set of the k samples that are predicted positive. loss(S) is
    1 - recall@k, the share of the positives that are not in S, or 1 - prec@k, the share of S that is negative. F(S) -
    F(positives) is the sum of the scores of the negatives in S, less that of the positives that are not in S, divided
    by the number of positives.

    Notes
    -----
    Let P be the number of positives, or the sum of their weights. If k = P, this is a binary SVM with a free bias. If k
    is not P, no S is the truth, and the hinge can be 0 at equal scores, all negative (k > P) or all positive (k < P).
    Then it does not bound the loss.

    Let v be the duals and :math:`t = \tfrac1k \sum_i v_i`. Each :math:`v_i` is in :math:`0..t s_i`, and
    :math:`t \le 1`. Let :math:`g_i` be :math:`t s_i - v_i` for positives and :math:`-v_i` for negatives. The dual
    problem is

    .. math::

        \max \;\; & E - \frac{\|X^\top g\|^2}{2 \lambda P^2} \\
        \text{where} \;\; & E = \tfrac1P \sum_{i \text{ positive}} g_i \;\text{ for recall}, \quad
        E = \tfrac1k \sum_{i \text{ negative}} v_i \;\text{ for precision}

    and :math:`w = X^\top g / (\lambda P)`. An iteration adds one cutting plane, and uses no seed. The cost is O(n m d)
    an iteration, plus the small quadratic programme.
    """
    problem = problems.fit_svm_perf(
        X, relevant, k=k, loss=loss, regularization=regularization, tol=tol, max_iterations=max_iterations, seed=seed,
        sample_weight=sample_weight, duals=duals, progress=progress,
    )  # fmt: skip
    X, relevant, weights, duals = _counted(problem)
    selections = problems.selection_problem(relevant, weights, problem.k / problem.unit, problem.loss)
    return problem.of_all(select_by_planes(X, selections, duals, problem))
