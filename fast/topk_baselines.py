"""TopPush and SVMperf, two baselines for the top-k SVM. `reference.topk_baselines` derives both problems.

The reference follows the papers: gradients over all samples, and cutting planes. Here both are solved by dual
coordinate ascent: with k = P, SVMperf is a binary SVM with a free bias, and TopPush is one whose bias is the highest
negative score. Most negatives are far below the bias and their duals stay 0. So only a shortlist of samples is visited
between two looks at all samples. Where this is slow, an interior-point method goes on with TopPush. SVMperf uses
cutting planes if k is not P, or if W is small: then a few planes do.
"""

from __future__ import annotations

import numpy as np

from reference.problems import checks
from reference.problems import topk_baselines as problems
from reference.problems.checks.types import Array, Matrix

from ._shared.recorder import Recorder
from ._svm import interior_point
from ._svm.selections import select_by_planes
from ._svm.top_rank import (
    IMBALANCE,
    THRESHOLD,
    BalancedState,
    TopRankModel,
    TopRankProblem,
    list_samples,
    scale_to_balance,
    visit_samples,
)

__all__ = ["fit_top_push", "fit_svm_perf"]

TOP_PUSH, SVM_PERF = 0.5, 0.0  # smoothing: the gain of a dual a is a less smoothing a^2 / 2
MOST_WEIGHTS_FOR_PLANES = 100  # with so few weights, some dozens of cutting planes suffice
MOST_PASSES = 50  # over the shortlist between two looks; together they take about half as long as a look
LEAST_WORK = 200_000  # multiplications that take less time than the overhead of a look
# rho, relative to the curvature of a step: 1 for few positives, and less for many, which change the balance together.
LEAST_PENALTY, MANY_POSITIVES = 0.01, 100


@checks.documented_by(problems.fit_top_push)
def fit_top_push(
    X: Matrix, relevant: Array, *, regularization: float, tol: float = 1e-3, max_iterations: int = 1000, seed: int = 0,
    sample_weight: Array | None = None, duals: Array | None = None, progress: bool = False,
) -> checks.TopRankFit:  # fmt: skip
    r"""Train TopPush, which ranks every positive above the highest negative, to a certified duality gap.

    Notes
    -----
    Let :math:`a_i` be the duals of the positives and v the duals of all samples. The dual problem is

    .. math::

        \max \; \tfrac1P \sum_i \left( a_i - \frac{a_i^2}{4 s_i} \right) - \frac{\|X^\top v\|^2}{2 \lambda P^2}

    and :math:`w = X^\top v / (\lambda P)`. An iteration is a look at all samples, after passes of dual coordinate
    ascent over those that may move. The cost is O(n m d) an iteration, plus O(d) for each listed sample and pass. With
    at most 1000 features, and 10 million numbers in X, in the duals and in m matrices (d, d), a primal-dual
    interior-point method goes on after 5 + d / 16 iterations. It takes 10 to 60 iterations, however the features are
    scaled. Each costs :math:`O(n m d + q d^2 + m d^3)`, where q samples are positives or have been among the highest
    negatives. It needs some ten arrays (n, m), and those m matrices.
    """
    problem = problems.fit_top_push(
        X, relevant, regularization=regularization, tol=tol, max_iterations=max_iterations, seed=seed,
        sample_weight=sample_weight, duals=duals, progress=progress,
    )  # fmt: skip
    X, relevant, shares, duals = problem.counted()
    model = TopRankModel(X, relevant, problem.regularization, shares, TOP_PUSH)
    return problem.of_all(_shaped(_ascend(model, duals.reshape(model.relevant.shape), problem, seed), relevant))


@checks.documented_by(problems.fit_svm_perf)
def fit_svm_perf(
    X: Matrix, relevant: Array, *, k: float, loss: str = "recall", regularization: float, tol: float = 1e-3,
    max_iterations: int = 1000, seed: int = 0, sample_weight: Array | None = None, duals: Array | None = None,
    progress: bool = False,
) -> checks.TopRankFit:  # fmt: skip
    r"""Train SVMperf for recall or precision among k predicted positives, to a certified duality gap.

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

    and :math:`w = X^\top g / (\lambda P)`. With k = P and more than 100 weights, an iteration is a look at all samples,
    after passes over those that may move: O(n m d), plus O(d) for each listed sample and pass. Otherwise it adds one
    cutting plane: O(n m d), plus the small quadratic programme.
    """
    problem = problems.fit_svm_perf(
        X, relevant, k=k, loss=loss, regularization=regularization, tol=tol, max_iterations=max_iterations, seed=seed,
        sample_weight=sample_weight, duals=duals, progress=progress,
    )  # fmt: skip
    X, relevant, shares, duals = problem.counted()
    selections = problems.selection_problem(relevant, shares, problem.k / problem.unit, problem.loss)
    if selections.k != selections.total or X.shape[1] * relevant.size // len(relevant) <= MOST_WEIGHTS_FOR_PLANES:
        return problem.of_all(select_by_planes(X, selections, duals, problem))
    model = TopRankModel(X, relevant, problem.regularization, shares, SVM_PERF)
    missed = np.where(relevant, duals.sum() / selections.k * selections.shares - duals, -duals)
    fit = _shaped(_ascend(model, missed.reshape(model.relevant.shape), problem, seed), relevant)
    return problem.of_all(fit._replace(duals=np.where(relevant, selections.shares - fit.duals, -fit.duals)))


def _shaped(fit, relevant):
    """Returns the fit with weights (d,) and duals (n,), if the flags are (n,), instead of (d, 1) and (n, 1)."""
    weights = fit.weights[:, 0] if relevant.ndim == 1 else fit.weights
    return fit._replace(weights=np.ascontiguousarray(weights), duals=fit.duals.reshape(relevant.shape))


def _ascend(model, duals, options, seed):
    """Dual coordinate ascent. For TopPush an interior-point method takes over if it is slow. Returns a TopRankFit."""
    recorder, generator = Recorder(options.tol), np.random.default_rng(seed)
    state = BalancedState(duals, model.weights(duals), np.zeros(2))
    problem = TopRankProblem(model.smoothing_over_share, model.boxes, model.scale, _penalty(model))
    takes_over = interior_point.passes_before(model)
    quiet = np.errstate(over="ignore", invalid="ignore")  # relative_gap refuses what is not finite
    with quiet, checks.progress_bar(options.progress, options.max_iterations) as report:
        is_done = _passes(model, state, problem, recorder, generator, report, min(takes_over, options.max_iterations))
        if not is_done and takes_over < options.max_iterations:
            scores = np.asarray(model.X @ state.weights.T, np.float64)
            is_done = _through_interior(model, recorder, scores, report, options.max_iterations)
            state.duals[:] = recorder.proof
            state.weights[:] = model.weights(state.duals)
        if not is_done:
            _passes(model, state, problem, recorder, generator, report, options.max_iterations)
    checks.warn_unless_converged(recorder.gap, options.tol, len(recorder.history), "iterations", X=model.X)
    return checks.TopRankFit(recorder.answer.T.astype(model.X.dtype), recorder.proof, *recorder.results())


def _passes(model, state, problem, recorder, generator, report, most):
    """Alternate between passes over the samples that may move and a look at all. Returns whether the gap is reached."""
    scores = np.asarray(model.X @ state.weights.T, np.float64)
    state.balance[THRESHOLD] = model.threshold(scores)
    while len(recorder.history) < most:
        _visit_listed(model, state, problem, scores, not recorder.history, generator)
        scale_to_balance(state.duals)
        state.weights[:], state.balance[IMBALANCE] = model.weights(state.duals), 0.0
        scores = _record(model, recorder, state.weights, state.duals, state.weights)
        if recorder.close_iteration(report):
            return True
    return False


def _record(model, recorder, weights, duals, weights_of_duals):
    """Keep the primal of the weights and the dual of balanced duals, if they are better. Returns the scores."""
    stretched = weights * model.stretch
    primal, scores = model.primal(stretched)
    recorder.improve_primal(primal, stretched)
    recorder.improve_dual(model.dual(duals, weights_of_duals), duals.copy)
    return scores


def _through_interior(model, recorder, scores, report, most):
    """Iterate the interior-point method, whose first negatives are the highest of `scores` (n, m).

    Returns whether the gap is reached before numbers fail or MOST_ITERATIONS are over.
    """
    X = np.asarray(model.X.toarray() if hasattr(model.X, "tocsr") else model.X, np.float64)
    samples, point = interior_point.first(model, scores)
    for _ in range(min(interior_point.MOST_ITERATIONS, most - len(recorder.history))):
        try:
            point = interior_point.improved(samples, point, model, X)
        except np.linalg.LinAlgError:  # X is beyond the precision of its squares
            return False
        signed = samples.spread(np.where(samples.positive, point.duals, -point.duals))
        scale_to_balance(signed)
        if not np.isfinite(signed).all():
            return False
        scores = _record(model, recorder, point.weights, signed, model.weights(signed))
        if recorder.close_iteration(report):
            return True
        samples, point = interior_point.joined(samples, point, model, X, scores)
    return False


def _penalty(model):
    """Returns rho."""
    curvature = model.examples.squared_norms.mean() * model.scale
    return (curvature or 1.0) * min(1.0, max(LEAST_PENALTY, MANY_POSITIVES / model.total))


def _visit_listed(model, state, problem, scores, everything, generator):
    """Make passes over the samples that may move, or one pass over `everything`."""
    listed = list_samples(state, problem, model.relevant, scores, everything)
    work = state.duals.size + LEAST_WORK // state.weights.shape[1]
    passes = 1 if everything else min(MOST_PASSES, 1 + work // (2 * len(listed.classes) + 1))
    visit_samples(model.examples, state, model.relevant, problem, listed, int(generator.integers(2**32)), passes)
