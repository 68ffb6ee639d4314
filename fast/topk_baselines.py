"""TopPush and SVMperf, two baselines for the top-k SVM. `reference.topk_baselines` derives both problems.

The reference follows the papers: gradients over all samples, and cutting planes. Here both are solved by dual
coordinate ascent: with k = P, SVMperf is a binary SVM with a free bias, and TopPush is one whose bias is the highest
negative score. Most negatives are far below the bias and their duals stay 0. So only a shortlist of samples is visited
between two looks at all samples. SVMperf uses cutting planes if k is not P, or if W is small: then a few planes do.
"""

import numpy as np

from reference.problems import checks

from ._shared.recorder import Recorder
from ._svm.selections import select_by_planes, selection_problem
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

LOSSES = ("recall", "precision")
TOP_PUSH, SVM_PERF = 0.5, 0.0  # smooth: the gain of a dual a is a less smooth a^2 / 2
MOST_WEIGHTS_FOR_PLANES = 100  # with so few weights, some dozens of cutting planes suffice
MOST_SAMPLE_PASSES = 50  # over the shortlist between two looks; together they take about half as long as a look
LEAST_WORK = 200_000  # multiplications that take less time than the overhead of a look
# rho, relative to the curvature of a step: 1 for few positives, and less for many, which change the balance together.
LEAST_PENALTY, MANY_POSITIVES = 0.01, 100


def fit_top_push(
    X, relevant, *, regularization, tol=1e-3, max_iterations=1000, seed=0, sample_weight=None, duals=None,
    progress=False,
):  # fmt: skip
    r"""Train TopPush, which ranks every positive above the highest negative, to a certified duality gap.

    .. math::

        \arg\min_w \; \tfrac{\lambda}{2} \|w\|^2
        + \tfrac1P \sum_{i \text{ positive}} s_i \max(0, \; 1 + \max_{j \text{ negative}} f_j - f_i)^2

    Here :math:`\lambda` is `regularization`, f are the scores X w, :math:`s_i` is `sample_weight`, and P is the sum of
    the weights of the positives.

    Parameters
    ----------
    X : array or scipy CSR or CSC matrix, shape (n, d), float32 or float64
        Features, one row a sample.
    relevant : bool array, shape (n,) or (n, m)
        Which samples are positive. (n, m) is the multiclass reduction: row i is one-hot if example i has one class.
    regularization : float, > 0
        :math:`\lambda`.
    tol : float, >= 0
        The relative duality gap at which to stop.
    max_iterations : int, >= 1
        The largest number of iterations.
    seed : int
        Seed of the visiting order, for a method that visits samples in random order.
    sample_weight : array, shape (n,), >= 0, optional
        :math:`s_i`, one weight a row, for all of its samples. The mean over positives is weighted by :math:`s_i`. A row
        of weight 0 is left out: its positives have no loss, and its negatives are not among those whose highest score
        counts. All negatives of weight above 0 count alike. An integer weight is thus the same as so many copies of the
        row. The default is 1.
    duals : array like `relevant`, optional
        Starting point: the duals of an earlier fit, for any `regularization` and the same weights. Zeros if not given.
    progress : bool
        Show a progress bar.

    Returns
    -------
    fit : TopRankFit
        weights (d,) or (d, m), primal, dual, ``gap = (primal - dual) / primal``, iterations, and history, with one
        record (primal, dual, gap, seconds) an iteration. The duals are >= 0 for positives, <= 0 for negatives, and sum
        to 0. primal is that of the weights as returned, which are the best found.

    Raises
    ------
    ValueError
        An argument is not as described above, or all samples are of one class, or all whose weight is above 0; or the
        weights of the positives have a sum that is out of the range of the dtype.

    Warns
    -----
    ConvergenceWarning
        The gap is still above `tol` after `max_iterations`. The fit returned is valid, with its true gap.

    Notes
    -----
    Let :math:`a_i` be the duals of the positives and v the duals of all samples. The dual problem is

    .. math::

        \max \; \tfrac1P \sum_i \left( a_i - \frac{a_i^2}{4 s_i} \right) - \frac{\|X^\top v\|^2}{2 \lambda P^2}

    and :math:`w = X^\top v / (\lambda P)`. An iteration is a look at all samples, after passes of dual coordinate
    ascent over those that may move. The cost is O(n m d) an iteration, plus O(d) for each listed sample and pass.

    References
    ----------
    * Paper 004 (Lapin, Hein, Schiele: Top-k Multiclass SVM, 2015), sections 2.3 and 6.2.
    * Paper (Li, Jin, Zhou: Top Rank Optimization in Linear Time, 2014).

    Examples
    --------
    >>> X, relevant = np.array([[1.0, 0.0], [0.8, 1.0], [0.0, 1.0], [-1.0, 0.5]]), np.array([1, 1, 0, 0])
    >>> fit = fit_top_push(X, relevant, regularization=0.1)
    >>> scores = X @ fit.weights
    >>> bool(scores[:2].min() > scores[2:].max())
    True
    """
    X, relevant, options = _options(X, relevant, regularization, tol, max_iterations, seed)
    weights = checks.pushing_weights(sample_weight, relevant, X.dtype)
    rows = _WeightedRows(relevant, weights)
    X, relevant, shares, duals = rows.counted(X, checks.pushing_duals(duals, relevant, weights))
    model = TopRankModel(X, relevant, options.regularization, shares, TOP_PUSH)
    fit = _shaped(_ascend(model, duals.reshape(model.relevant.shape), options, seed, progress), relevant)
    return rows.of_all(fit, X.dtype)


def fit_svm_perf(
    X, relevant, *, k, loss="recall", regularization, tol=1e-3, max_iterations=1000, seed=0, sample_weight=None,
    duals=None, progress=False,
):  # fmt: skip
    r"""Train SVMperf for recall or precision among k predicted positives, to a certified duality gap.

    .. math::

        \arg\min_w \; \tfrac{\lambda}{2} \|w\|^2
        + \max \left( 0, \; \max_{|S| = k} \; \text{loss}(S) + F(S) - F(\text{positives}) \right)

    Here :math:`\lambda` is `regularization`, and S is the set of the k samples that are predicted positive. loss(S) is
    1 - recall@k, the share of the positives that are not in S, or 1 - prec@k, the share of S that is negative. F(S) -
    F(positives) is the sum of the scores of the negatives in S, less that of the positives that are not in S, divided
    by the number of positives.

    Parameters
    ----------
    X : array or scipy CSR or CSC matrix, shape (n, d), float32 or float64
        Features, one row a sample.
    relevant : bool array, shape (n,) or (n, m)
        Which samples are positive. (n, m) is the multiclass reduction: row i is one-hot if example i has one class.
    k : int, or float with `sample_weight`
        The size of S, between 1 and the number of all samples, n or n m. With `sample_weight` it is the weight of S:
        a number above 0, and at most the sum of the weights of all samples.
    loss : {"recall", "precision"}
        Which loss(S).
    regularization : float, > 0
        :math:`\lambda`.
    tol : float, >= 0
        The relative duality gap at which to stop.
    max_iterations : int, >= 1
        The largest number of iterations.
    seed : int
        Seed of the visiting order, for a method that visits samples in random order.
    sample_weight : array, shape (n,), >= 0, optional
        :math:`s_i`, one weight a row, for all of its samples. Each sample counts :math:`s_i` times: in the loss, in F,
        and in the size of S, which may hold a part of a sample. An integer weight is thus the same as so many copies of
        the row, and a row of weight 0 is left out. Multiply k and all weights by one number, and the problem is the
        same. The default is 1.
    duals : array like `relevant`, optional
        Starting point: the duals of an earlier fit, for any `regularization` and the same weights. Zeros if not given.
    progress : bool
        Show a progress bar.

    Returns
    -------
    fit : TopRankFit
        weights (d,) or (d, m), primal, dual, ``gap = (primal - dual) / primal``, iterations, and history, with one
        record (primal, dual, gap, seconds) an iteration. The dual of a sample is the sum of the shares of the planes
        whose S contains it, times the weight of the sample that is in S. Without weights ``duals / k`` is in the top-k
        simplex of `project_topk_simplex`. primal is that of the weights as returned, which are the best found.

    Raises
    ------
    ValueError
        An argument is not as described above, or all samples are of one class, or all whose weight is above 0; or the
        weights have sums that are out of the range of the dtype.

    Warns
    -----
    ConvergenceWarning
        The gap is still above `tol` after `max_iterations`. The fit returned is valid, with its true gap.

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

    References
    ----------
    * Paper 004 (Lapin, Hein, Schiele: Top-k Multiclass SVM, 2015), sections 2.3 and 6.2.
    * Paper (Joachims: A Support Vector Method for Multivariate Performance Measures, 2005).
    * Paper (Kar, Narasimhan, Jain: Surrogate Functions for Maximizing Precision at the Top, 2015).

    Examples
    --------
    >>> X, relevant = np.array([[1.0, 0.0], [0.8, 1.0], [0.0, 1.0], [-1.0, 0.5]]), np.array([1, 1, 0, 0])
    >>> fit = fit_svm_perf(X, relevant, k=2, regularization=0.1)
    >>> scores = X @ fit.weights
    >>> bool(scores[:2].min() > scores[2:].max())
    True
    """
    X, relevant, options = _options(X, relevant, regularization, tol, max_iterations, seed)
    loss = checks.choice(loss, "loss", LOSSES)
    weights, k = checks.selecting_weights(sample_weight, k, relevant, X.dtype)
    rows = _WeightedRows(relevant, weights)
    X, relevant, shares, duals = rows.counted(X, checks.selecting_duals(duals, relevant, weights, k))
    problem = selection_problem(relevant, shares, k / rows.unit, loss)
    if problem.k != problem.total or X.shape[1] * relevant.size // len(relevant) <= MOST_WEIGHTS_FOR_PLANES:
        return rows.of_all(select_by_planes(X, problem, duals, options, progress), X.dtype)
    model = TopRankModel(X, relevant, options.regularization, shares, SVM_PERF)
    missed = np.where(relevant, duals.sum() / problem.k * problem.shares - duals, -duals)
    fit = _shaped(_ascend(model, missed.reshape(model.relevant.shape), options, seed, progress), relevant)
    fit = fit._replace(duals=np.where(relevant, problem.shares - fit.duals, -fit.duals))
    return rows.of_all(fit, X.dtype)


class _WeightedRows:
    """The rows of weight above 0, with weights and duals relative to the largest weight of a positive."""

    def __init__(self, relevant, weights):
        self.relevant, self.weights = relevant, weights
        self.unit, self.above = weights[np.nonzero(relevant)[0]].max(), weights > 0

    def counted(self, X, duals):
        """Returns (X, flags, weights, duals) of these rows."""
        arrays = X, self.relevant, self.weights, duals
        if not self.above.all():
            arrays = (array[self.above] for array in arrays)
        X, relevant, weights, duals = arrays
        return X, relevant, weights / self.unit, duals / self.unit

    def of_all(self, fit, dtype):
        """Returns the fit with the duals of all rows."""
        duals = np.zeros(self.relevant.shape, dtype)
        duals[self.above] = self.unit * fit.duals
        return fit._replace(duals=duals)


def _shaped(fit, relevant):
    """Returns the fit with weights (d,) and duals (n,), if the flags are (n,), instead of (d, 1) and (n, 1)."""
    weights = fit.weights[:, 0] if relevant.ndim == 1 else fit.weights
    return fit._replace(weights=np.ascontiguousarray(weights), duals=fit.duals.reshape(relevant.shape))


def _options(X, relevant, regularization, tol, max_iterations, seed):
    """Returns the checked (X, flags, options); the seed is checked, too."""
    X, relevant = checks.reduced_samples(X, relevant)
    options = checks.ranking_options(regularization, tol, max_iterations)
    checks.visiting_orders(None, X.shape[0], options.max_iterations, seed)
    return X, relevant, options


def _ascend(model, duals, options, seed, progress):
    """Alternate between a look at all samples and passes over those that may move. Returns a TopRankFit in 2-D."""
    recorder, generator = Recorder(options.tol), np.random.default_rng(seed)
    state = BalancedState(duals, model.weights(duals), np.zeros(2))
    problem = TopRankProblem(model.smooths, model.boxes, model.scale, _penalty(model))
    scores = np.asarray(model.X @ state.weights.T, np.float64)
    state.balance[THRESHOLD] = model.threshold(scores)
    quiet = np.errstate(over="ignore", invalid="ignore")  # relative_gap refuses what is not finite
    with quiet, checks.progress_bar(progress, options.max_iterations) as report:
        for _ in range(options.max_iterations):
            _visit_listed(model, state, problem, scores, not recorder.history, generator)
            scale_to_balance(state.duals)
            state.weights[:], state.balance[IMBALANCE] = model.weights(state.duals), 0.0
            stretched = state.weights * model.stretch
            primal, scores = model.primal(stretched)
            recorder.improve_primal(primal, stretched)
            recorder.improve_dual(model.dual(state.duals, state.weights), state.duals.copy)
            if recorder.close_iteration(report):
                break
    checks.warn_unless_converged(recorder.gap, options.tol, len(recorder.history), "iterations", X=model.X)
    weights, duals = recorder.answer.T.astype(model.X.dtype), recorder.proof.astype(model.X.dtype)
    return checks.TopRankFit(weights, duals, *recorder.results())


def _penalty(model):
    """Returns rho."""
    curvature = model.examples.squared_norms.mean() * model.scale
    return (curvature or 1.0) * min(1.0, max(LEAST_PENALTY, MANY_POSITIVES / model.total))


def _visit_listed(model, state, problem, scores, everything, generator):
    """Make passes over the samples that may move, or one pass over `everything`."""
    listed = list_samples(state, problem, model.relevant, scores, everything)
    work = state.duals.size + LEAST_WORK // state.weights.shape[1]
    passes = 1 if everything else min(MOST_SAMPLE_PASSES, 1 + work // (2 * len(listed.classes) + 1))
    visit_samples(model.examples, state, model.relevant, problem, listed, int(generator.integers(2**32)), passes)
