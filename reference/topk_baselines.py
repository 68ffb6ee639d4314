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

from time import perf_counter
from typing import NamedTuple

import numpy as np

from ._projections.knapsack import knapsack_row
from ._svm.selections import select_by_planes, selection_problem
from .problems import checks

__all__ = ["fit_top_push", "fit_svm_perf"]

LOSSES = ("recall", "precision")


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

    and :math:`w = X^\top v / (\lambda P)`. Each iteration is an accelerated gradient step over all samples, and uses no
    seed. The conditioning of X decides how many it takes. The cost is O(n m d) an iteration.

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
    X, relevant = checks.reduced_samples(X, relevant)
    options = checks.ranking_options(regularization, tol, max_iterations)
    checks.visiting_orders(None, X.shape[0], options.max_iterations, seed)
    weights = checks.pushing_weights(sample_weight, relevant, X.dtype)
    duals, counted = checks.pushing_duals(duals, relevant, weights), weights > 0
    unit = weights[np.nonzero(relevant)[0]].max()
    problem = _push_problem(X[counted], relevant[counted], weights[counted] / unit, options.regularization)
    fit = _push(problem, duals[counted] / unit, options, progress)
    duals = np.zeros(relevant.shape, X.dtype)
    duals[counted] = unit * fit.duals
    return fit._replace(weights=fit.weights.astype(X.dtype), duals=duals)


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


def _push(problem, duals, options, progress):
    """Returns the fit of TopPush in float64."""
    start, history, best, dual = perf_counter(), [], (np.inf, None), (-np.inf, None)
    ascent = _accelerated_ascent(problem, duals)
    quiet = np.errstate(over="ignore", invalid="ignore")  # relative_gap refuses what is not finite
    with quiet, checks.progress_bar(progress, options.max_iterations) as report:
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

    and :math:`w = X^\top g / (\lambda P)`. An iteration adds one cutting plane, and uses no seed. The cost is O(n m d)
    an iteration, plus the small quadratic programme.

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
    X, relevant = checks.reduced_samples(X, relevant)
    options = checks.ranking_options(regularization, tol, max_iterations)
    loss = checks.choice(loss, "loss", LOSSES)
    checks.visiting_orders(None, X.shape[0], options.max_iterations, seed)
    weights, k = checks.selecting_weights(sample_weight, k, relevant, X.dtype)
    duals, counted = checks.selecting_duals(duals, relevant, weights, k), weights > 0
    unit = weights[np.nonzero(relevant)[0]].max()
    problem = selection_problem(X[counted], relevant[counted], weights[counted] / unit, k / unit, loss)
    fit = select_by_planes(problem, duals[counted] / unit, options, progress)
    duals = np.zeros(relevant.shape, X.dtype)
    duals[counted] = unit * fit.duals
    return fit._replace(duals=duals)
