"""TopPush and SVMperf, two baselines for the top-k SVM. `reference.topk_baselines` derives both problems.

The reference follows the papers: gradients over all samples, and cutting planes. Here both are solved by dual
coordinate ascent: with k = P, SVMperf is a binary SVM with a free bias, and TopPush is one whose bias is the highest
negative score. Most negatives are far below the bias and their duals stay 0. So only a shortlist of samples is visited
between two looks at all samples. SVMperf uses cutting planes if k is not P, or if W is small: then a few planes do.
"""

import numpy as np

from reference import contract

from ._shared.planes import minimise_by_planes
from ._shared.recorder import Recorder
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
# The gain of a dual a in 0..box: a less smooth a^2 / 2. The conjugate of TopPush's squared hinge has no box.
TOP_PUSH, SVM_PERF = {"smooth": 0.5, "box": np.inf}, {"smooth": 0.0, "box": 1.0}
MOST_WEIGHTS_FOR_PLANES = 100  # with so few weights, some dozens of cutting planes suffice
MOST_SAMPLE_PASSES = 50  # over the shortlist between two looks; together they take about half as long as a look
LEAST_WORK = 200_000  # multiplications that take less time than the overhead of a look
# rho, relative to the curvature of a step: 1 for few positives, and less for many, which change the balance together.
LEAST_PENALTY, MANY_POSITIVES = 0.01, 100


def fit_top_push(
    X, relevant, *, regularization, tol=1e-3, max_iterations=1000, seed=0, sample_weight=None, duals=None,
    progress=False,
):  # fmt: skip
    """argmin_w regularization/2 |w|^2 + mean over positives of max(0, 1 + highest negative score - score)^2.

    Parameters
    ----------
    X : array or scipy CSR matrix, shape (n, d), float32 or float64
        Features, one row a sample.
    relevant : bool array, shape (n,) or (n, m)
        Which samples are positive. (n, m) is the multiclass reduction: row i is one-hot if x_i has one class.
    regularization : float, > 0
        lambda.
    tol : float, >= 0
        The relative duality gap at which to stop.
    max_iterations : int, >= 1
        The largest number of iterations.
    seed : int
        Seed of the visiting order, for a method that visits samples in random order.
    sample_weight : array, shape (n,), >= 0, optional
        s_i, one weight a row, for all of its samples. The mean over positives is weighted by s_i. A row of weight 0 is
        left out: its positives have no loss, and its negatives are not among those whose highest score counts. All
        negatives of weight above 0 count alike. An integer weight is thus the same as so many copies of the row. The
        default is 1.
    duals : array like `relevant`, optional
        Starting point: the duals of an earlier fit, for any lambda and the same weights. Zeros if not given.
    progress : bool
        Show a progress bar.

    Returns
    -------
    fit : TopRankFit
        weights (d,) or (d, m), primal, dual, gap = (primal - dual) / primal, iterations, and history, with one record
        (primal, dual, gap, seconds) an iteration. The duals are >= 0 for positives, <= 0 for negatives, and sum to 0.
        primal is that of the weights as returned, which are the best found.

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
    Let a_i be the duals of the positives, s_i their weights and P the sum of these. The dual problem is
        max  1/P sum_i (a_i - a_i^2 / (4 s_i)) - |X' duals|^2 / (2 lambda P^2),
    and w = X' duals / (lambda P). An iteration is a look at all samples, after passes of dual coordinate ascent over
    those that may move. O(n m d) an iteration, plus O(d) for each listed sample and pass.
    Source: 004, sections 2.3 and 6.2; N. Li, R. Jin, Z.-H. Zhou, "Top rank optimization in linear time", 2014.

    Examples
    --------
    >>> X, relevant = np.array([[1.0, 0.0], [0.8, 1.0], [0.0, 1.0], [-1.0, 0.5]]), np.array([1, 1, 0, 0])
    >>> fit = fit_top_push(X, relevant, regularization=0.1)
    >>> scores = X @ fit.weights
    >>> bool(scores[:2].min() > scores[2:].max())
    True
    """
    X, relevant, options = _options(X, relevant, regularization, tol, max_iterations, seed)
    weights = contract.pushing_weights(sample_weight, relevant, X.dtype)
    duals, every = contract.pushing_duals(duals, relevant, weights), relevant
    unit, counted = weights[np.nonzero(relevant)[0]].max(), weights > 0
    if not counted.all():
        X, relevant, weights, duals = X[counted], relevant[counted], weights[counted], duals[counted]
    model = TopRankModel(X, relevant, options.regularization, weights / unit, **TOP_PUSH)
    fit = _shaped(_ascend(model, duals.reshape(model.relevant.shape) / unit, options, seed, progress), relevant)
    duals = np.zeros(every.shape, X.dtype)
    duals[counted] = unit * fit.duals
    return fit._replace(duals=duals)


def fit_svm_perf(
    X, relevant, *, k, loss="recall", regularization, tol=1e-3, max_iterations=1000, seed=0, duals=None, progress=False
):
    """argmin_w regularization/2 |w|^2 + max(0, max over S of size k [loss(S) + F(S) - F(positives)]).

    S is the set of the k samples that are predicted positive. loss(S) is 1 - recall@k, the share of the positives that
    are not in S, or 1 - prec@k, the share of S that is negative. F(S) - F(positives) is the sum of the scores of the
    negatives in S, less that of the positives that are not in S, divided by the number of positives.

    Parameters
    ----------
    X : array or scipy CSR matrix, shape (n, d), float32 or float64
        Features, one row a sample.
    relevant : bool array, shape (n,) or (n, m)
        Which samples are positive. (n, m) is the multiclass reduction: row i is one-hot if x_i has one class.
    k : int
        The size of S, between 1 and the number of all samples, n or n m.
    loss : {"recall", "precision"}
        Which loss(S).
    regularization : float, > 0
        lambda.
    tol : float, >= 0
        The relative duality gap at which to stop.
    max_iterations : int, >= 1
        The largest number of iterations.
    seed : int
        Seed of the visiting order, for a method that visits samples in random order.
    duals : array like `relevant`, optional
        Starting point: the duals of an earlier fit. Zeros if not given.
    progress : bool
        Show a progress bar.

    Returns
    -------
    fit : TopRankFit
        weights (d,) or (d, m), primal, dual, gap = (primal - dual) / primal, iterations, and history, with one record
        (primal, dual, gap, seconds) an iteration. The dual of a sample is the sum of the shares of the planes whose S
        contains it; duals / k is in the top-k simplex of 004. primal is that of the weights as returned, which are the
        best found.

    Raises
    ------
    ValueError
        An argument is not as described above, or all samples are of one class.

    Warns
    -----
    ConvergenceWarning
        The gap is still above `tol` after `max_iterations`. The fit returned is valid, with its true gap.

    Notes
    -----
    Let P be the number of positives. If k = P, this is a binary SVM with a free bias. If k is not P, no S is the truth,
    and the hinge can be 0 at equal scores, all negative (k > P) or all positive (k < P): it does not bound the loss.
    Let t = sum(duals) / k, and let g be t - duals for positives and -duals for negatives. The dual problem is
        max  E - |X' g|^2 / (2 lambda P^2),   with   E = (sum of g over positives) / P   for recall,
                                              and    E = (sum of the duals of negatives) / k   for precision,
    and w = X' g / (lambda P). With k = P and more than 100 weights, an iteration is a look at all samples, after passes
    over those that may move: O(n m d), plus O(d) for each listed sample and pass. Otherwise it adds one cutting plane:
    O(n m d), plus the small quadratic programme.
    Source: 004, sections 2.3 and 6.2; T. Joachims, "A support vector method for multivariate performance measures",
    2005; P. Kar, H. Narasimhan, P. Jain, "Surrogate functions for maximizing precision at the top", 2015.

    Examples
    --------
    >>> X, relevant = np.array([[1.0, 0.0], [0.8, 1.0], [0.0, 1.0], [-1.0, 0.5]]), np.array([1, 1, 0, 0])
    >>> fit = fit_svm_perf(X, relevant, k=2, regularization=0.1)
    >>> scores = X @ fit.weights
    >>> bool(scores[:2].min() > scores[2:].max())
    True
    """
    X, relevant, options = _options(X, relevant, regularization, tol, max_iterations, seed)
    k, loss = contract.count(k, "k", relevant.size), contract.choice(loss, "loss", LOSSES)
    duals = contract.selecting_duals(duals, relevant, k)
    if k != np.count_nonzero(relevant) or X.shape[1] * relevant.size // len(relevant) <= MOST_WEIGHTS_FOR_PLANES:
        return _by_planes(X, relevant, k, loss, duals, options, progress)
    model = TopRankModel(X, relevant, options.regularization, np.ones(len(relevant)), **SVM_PERF)
    duals = np.where(relevant, duals.sum() / k - duals, -duals).reshape(model.relevant.shape)
    fit = _shaped(_ascend(model, duals, options, seed, progress), relevant)
    return fit._replace(duals=np.where(relevant, 1 - fit.duals, -fit.duals))


def _shaped(fit, relevant):
    """Returns the fit with weights (d,) and duals (n,), if the flags are (n,), instead of (d, 1) and (n, 1)."""
    weights = fit.weights[:, 0] if relevant.ndim == 1 else fit.weights
    return fit._replace(weights=np.ascontiguousarray(weights), duals=fit.duals.reshape(relevant.shape))


def _by_planes(X, relevant, k, loss, duals, options, progress):
    """SVMperf by cutting planes: the selection with the largest loss plus score gives the plane."""
    shape, n_positive, selections = (X.shape[1], *relevant.shape[1:]), np.count_nonzero(relevant), []
    margins = np.where(relevant, 1.0 if loss == "recall" else n_positive / k, 0.0).ravel()

    def plane(weights):
        scores = np.asarray(X @ weights.reshape(shape), np.float64)
        selected = np.argpartition(margins - scores.ravel(), k - 1)[:k]
        offset, gradient = _plane_of(_indicator(selected, relevant), relevant, k, loss)
        value = offset + np.vdot(gradient, scores)
        if value <= 0:  # the hinge is 0, and so is its plane
            selected, value, offset, gradient = selected[:0], 0.0, 0.0, np.zeros(relevant.shape)
        selections.append(selected)
        return value, offset, (X.T @ gradient).ravel()

    weights = -(X.T @ _plane_of(duals, relevant, k, loss)[1]).ravel() / options.regularization
    fit, shares = minimise_by_planes(plane, weights, X.dtype, options, progress)
    duals = np.zeros(relevant.shape)
    for share, selected in zip(shares, selections, strict=True):
        duals.ravel()[selected] += share
    return contract.TopRankFit(fit.weights.reshape(shape), duals.astype(X.dtype), *fit[1:6])


def _indicator(selected, relevant):
    """Returns 1 for the selected samples and 0 for the others, in the shape of the flags."""
    indicator = np.zeros(relevant.size)
    indicator[selected] = 1.0
    return indicator.reshape(relevant.shape)


def _plane_of(selected, relevant, k, loss):
    """Returns (loss, gradient in the scores) of a selection, or of a convex combination of selections and of none."""
    n_positive, total = np.count_nonzero(relevant), selected.sum() / k
    gradient = np.where(relevant, selected - total, selected) / n_positive
    if loss == "recall":
        return float(-gradient[relevant].sum()), gradient
    return float(selected[~relevant].sum() / k), gradient


def _options(X, relevant, regularization, tol, max_iterations, seed):
    """Returns the checked (X, flags, options); the seed is checked, too."""
    X, relevant = contract.reduced_samples(X, relevant)
    options = contract.ranking_options(regularization, tol, max_iterations)
    contract.visiting_orders(None, X.shape[0], options.max_iterations, seed)
    return X, relevant, options


def _ascend(model, duals, options, seed, progress):
    """Alternate between a look at all samples and passes over those that may move. Returns a TopRankFit in 2-D."""
    recorder, generator = Recorder(options.tol), np.random.default_rng(seed)
    state = BalancedState(duals, model.weights(duals), np.zeros(2))
    problem = TopRankProblem(model.smooths, model.box, model.scale, _penalty(model))
    scores = np.asarray(model.X @ state.weights.T, np.float64)
    state.balance[THRESHOLD] = model.threshold(scores)
    quiet = np.errstate(over="ignore", invalid="ignore")  # relative_gap refuses what is not finite
    with quiet, contract.progress_bar(progress, options.max_iterations) as report:
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
    contract.warn_unless_converged(recorder.gap, options.tol, len(recorder.history), "iterations")
    weights, duals = recorder.answer.T.astype(model.X.dtype), recorder.proof.astype(model.X.dtype)
    return contract.TopRankFit(weights, duals, *recorder.results())


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
