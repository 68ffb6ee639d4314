"""TopPush and SVMperf, what a top-k SVM is compared with; `reference.topk_baselines` derives both problems.

The reference follows the papers: gradients of all samples at once, and cutting planes. Here both are dual coordinate
ascent: with k = P, SVMperf is a binary SVM whose bias is free, and TopPush is one whose bias is the highest negative
score. Most negatives are far below the bias and stay at 0, so that between two looks at all samples only a shortlist is
visited. SVMperf uses the planes of the ranking SVM where k is not P, and where W is so small that a few planes do.
"""

from time import perf_counter

import numpy as np

from reference import contract

from ._shared.examples import linear_examples
from ._shared.planes import LONGER, minimise_by_planes
from ._svm.top_rank import BalancedState, ListedSamples, TopRankProblem, visit_samples

__all__ = ["fit_top_push", "fit_svm_perf"]

LOSSES = ("recall", "precision")
SLACK = 0.1  # by which a score may change, in units of the margin, before a sample left out would have to be visited
MOST_PASSES = 50  # over the shortlist between two looks, which together take about half as long as a look
LEAST_WORK = 200_000  # multiplications that are nothing beside the overhead of a look
FEW = 100  # numbers in W, for which some dozens of cutting planes are enough


def fit_top_push(X, relevant, *, regularization, tol=1e-3, max_iterations=1000, seed=0, duals=None, progress=False):
    """argmin_w regularization/2 |w|^2 + mean over positives of max(0, 1 + highest negative score - score)^2.

    Parameters
    ----------
    X : array or scipy CSR matrix, shape (n, d), float32 or float64
        Features, one row a sample.
    relevant : bool array, shape (n,) or (n, m)
        Which samples are positive; (n, m) for the multiclass reduction, one-hot rows if each example has one class.
    regularization : float, > 0
        lambda.
    tol : float, >= 0
        The relative duality gap at which to stop.
    max_iterations : int, >= 1
        How many looks at all samples at most.
    seed : int
        Of the visiting order.
    duals : array like `relevant`, optional
        To start from: those of an earlier fit, for any lambda. Zeros if not given.
    progress : bool
        Show a progress bar.

    Returns
    -------
    fit : TopRankFit
        weights (d,) or (d, m), primal, dual, gap = (primal - dual) / primal, iterations, and history, with one record
        (primal, dual, gap, seconds) an iteration. duals are >= 0 for positives, <= 0 for negatives, and sum to 0.
        primal is that of the weights as returned, the best that were found.

    Raises
    ------
    ValueError
        An argument is none of the above; all samples are of one class.

    Warns
    -----
    ConvergenceWarning
        The iterations are used up and the gap is still above `tol`. The fit returned is valid, with its true gap.

    Notes
    -----
    With P positives the dual is max 1/P sum_i (a_i - a_i^2/4) - |X' duals|^2 / (2 lambda P^2), and
    w = X' duals / (lambda P). O(n m d) an iteration, plus O(d) for each sample on the shortlist.
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
    model = _Model(X, relevant, options.regularization, 0.5, np.inf)
    duals = contract.pushing_duals(duals, relevant).reshape(model.relevant.shape)
    return _shaped(_ascend(model, duals, options, seed, progress), relevant)


def fit_svm_perf(
    X, relevant, *, k, loss="recall", regularization, tol=1e-3, max_iterations=1000, seed=0, duals=None, progress=False
):
    """argmin_w regularization/2 |w|^2 + max(0, max over S of size k [loss(S) + F(S) - F(positives)]).

    S are the k samples that are predicted positive. loss(S) is the share of the positives that S misses, 1 - recall@k,
    or the share of S that is negative, 1 - prec@k. F(S) - F(positives) is the sum of the scores of the negatives in S,
    less that of the positives that S misses, over the number of positives.

    Parameters
    ----------
    X : array or scipy CSR matrix, shape (n, d), float32 or float64
        Features, one row a sample.
    relevant : bool array, shape (n,) or (n, m)
        Which samples are positive; (n, m) for the multiclass reduction, one-hot rows if each example has one class.
    k : int
        How many samples are predicted positive, 1 to the number of all samples, n or n m.
    loss : {"recall", "precision"}
    regularization : float, > 0
        lambda.
    tol : float, >= 0
        The relative duality gap at which to stop.
    max_iterations : int, >= 1
        How many looks at all samples, or cutting planes, at most.
    seed : int
        Of the visiting order, where k is the number of positives.
    duals : array like `relevant`, optional
        To start from: those of an earlier fit. Zeros if not given.
    progress : bool
        Show a progress bar.

    Returns
    -------
    fit : TopRankFit
        weights (d,) or (d, m), primal, dual, gap = (primal - dual) / primal, iterations, and history, with one record
        (primal, dual, gap, seconds) an iteration. duals say by which share of the planes each sample is selected:
        duals / k is in the top-k simplex of 004. primal is that of the weights as returned, the best that were found.

    Raises
    ------
    ValueError
        An argument is none of the above; all samples are of one class.

    Warns
    -----
    ConvergenceWarning
        The iterations are used up and the gap is still above `tol`. The fit returned is valid, with its true gap.

    Notes
    -----
    Where k is not the number P of positives, no S is the truth, and scores that are all alike, all negative (k > P) or
    all positive (k < P), can make the objective's hinge 0: it does not bound the loss. With k = P it is a binary SVM
    whose bias is free. With t = sum(duals) / k and g = (t - duals for positives, -duals for negatives) the dual is
    max <loss> - |X' g|^2 / (2 lambda P^2), <loss> being sum_pos g / P (recall) or sum_neg duals / k (precision), and
    w = X' g / (lambda P). O(n m d) an iteration, plus O(d) for each sample on the shortlist, or the small programme.
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
    if k != np.count_nonzero(relevant) or X.shape[1] * relevant.size // len(relevant) <= FEW:
        return _by_planes(X, relevant, k, loss, duals, options, progress)
    model = _Model(X, relevant, options.regularization, 0.0, 1.0)
    duals = np.where(relevant, duals.sum() / k - duals, -duals).reshape(model.relevant.shape)
    fit = _shaped(_ascend(model, duals, options, seed, progress), relevant)
    return fit._replace(duals=np.where(relevant, 1 - fit.duals, -fit.duals))


def _shaped(fit, relevant):
    """(n,) and (d,) in place of (n, 1) and (d, 1)."""
    weights = fit.weights[:, 0] if relevant.ndim == 1 else fit.weights
    return fit._replace(weights=np.ascontiguousarray(weights), duals=fit.duals.reshape(relevant.shape))


def _by_planes(X, relevant, k, loss, duals, options, progress):
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
    indicator = np.zeros(relevant.size)
    indicator[selected] = 1.0
    return indicator.reshape(relevant.shape)


def _plane_of(selected, relevant, k, loss):
    """(loss, gradient in the scores) of a selection, or of a mixture of selections and of none."""
    n_positive, total = np.count_nonzero(relevant), selected.sum() / k
    gradient = np.where(relevant, selected - total, selected) / n_positive
    if loss == "recall":
        return float(-gradient[relevant].sum()), gradient
    return float(selected[~relevant].sum() / k), gradient


def _options(X, relevant, regularization, tol, max_iterations, seed):
    X, relevant = contract.reduced_samples(X, relevant)
    options = contract.ranking_options(regularization, tol, max_iterations)
    contract.visiting_orders(None, X.shape[0], options.max_iterations, seed)
    return X, relevant, options


class _Model:
    """The objective of one of the two problems; duals and scores are (n, m), weights (m, d)."""

    def __init__(self, X, relevant, regularization, smooth, box):
        n = X.shape[0]
        self.relevant, self.smooth, self.box = relevant.reshape(n, -1), smooth, box
        self.n_positive, self.regularization = np.count_nonzero(relevant), regularization
        self.examples, self.X = linear_examples(X, np.zeros(n, np.int64))
        self.longer = 1 + LONGER * float(np.finfo(X.dtype).eps)
        with np.errstate(over="ignore", invalid="ignore"):
            self.scale = np.divide(1, regularization * self.n_positive)
            contract.finite_objective(self.scale * np.append(self.examples.squared_norms, 1))

    def weights(self, duals):
        return np.ascontiguousarray((self.X.T @ duals).T * self.scale)

    def primal(self, weights):
        """The objective at the weights as they would be returned, and the scores that they give."""
        weights = weights.astype(self.X.dtype).astype(np.float64)
        scores = np.asarray(self.X @ weights.T, np.float64)
        return float(self.regularization / 2 * np.sum(weights**2) + self.hinge(scores)), scores

    def threshold(self, scores):
        """z for given scores: the highest of a negative, or the P-th highest with the loss on top."""
        if self.smooth:
            return np.where(self.relevant, -np.inf, scores).max()
        return np.partition((scores - self.relevant).ravel(), scores.size - self.n_positive)[-self.n_positive]

    def hinge(self, scores):
        positives, z = scores[self.relevant], self.threshold(scores)
        if self.smooth:
            return np.mean(np.maximum(0, 1 + z - positives) ** 2)
        above = np.maximum(scores[~self.relevant] - z, 0).sum()
        return (np.maximum(1 + z - positives, 0).sum() + above) / self.n_positive

    def dual(self, duals, weights):
        a = duals[self.relevant]
        return float((a - self.smooth / 2 * a**2).mean() - self.regularization / 2 * np.sum(weights**2))


def _ascend(model, duals, options, seed, progress):
    """Looks at all samples, and passes over those that may move in between; returns (weights, duals, ...)."""
    start, history, best, dual = perf_counter(), [], (np.inf, None), (-np.inf, None)
    generator, state = np.random.default_rng(seed), BalancedState(duals, model.weights(duals), np.zeros(2))
    problem = TopRankProblem(model.smooth, model.box, model.scale, _penalty(model))
    scores = np.asarray(model.X @ state.weights.T, np.float64)
    state.balance[0] = model.threshold(scores)
    quiet = np.errstate(over="ignore", invalid="ignore")  # what is not finite is refused
    with quiet, contract.progress_bar(progress, options.max_iterations) as report:
        while len(history) < options.max_iterations:
            _visit_shortlist(model, state, problem, scores, not history, generator)
            _balance(state.duals)
            state.weights[:], state.balance[1] = model.weights(state.duals), 0.0
            longer = state.weights * model.longer
            primal, scores = model.primal(longer)
            if primal < best[0]:
                best = primal, longer
            lower = model.dual(state.duals, state.weights)
            if lower > dual[0]:
                dual = lower, state.duals.copy()
            gap = contract.relative_gap(best[0], dual[0])
            history.append((best[0], dual[0], gap, perf_counter() - start))
            report(gap)
            if gap <= options.tol:
                break
    contract.warn_unless_converged(gap, options.tol, len(history), "iterations")
    weights, duals = best[1].T.astype(model.X.dtype), dual[1].astype(model.X.dtype)
    return contract.TopRankFit(weights, duals, best[0], dual[0], gap, len(history), contract.svm_history(history))


def _penalty(model):
    """rho: with many samples a hundredth of a step's curvature is enough, because they move the balance together."""
    curvature = model.examples.squared_norms.mean() * model.scale
    return (curvature or 1.0) * min(1.0, max(0.01, 100 / model.n_positive))


def _visit_shortlist(model, state, problem, scores, everything, generator):
    duals, z = state.duals, state.balance[0]
    slopes = np.where(model.relevant, 1 + z - scores - model.smooth * duals, scores - z)
    sizes = np.abs(duals)
    listed = np.where(sizes == 0, slopes > -SLACK, (sizes < model.box) | (slopes < SLACK)) | everything
    rows, classes = np.nonzero(listed)
    counts = np.bincount(rows, minlength=len(duals))
    listed = ListedSamples(np.flatnonzero(counts), np.append(0, np.cumsum(counts[counts > 0])), classes)
    work = duals.size + LEAST_WORK // state.weights.shape[1]
    passes = 1 if everything else min(MOST_PASSES, 1 + work // (2 * len(classes) + 1))
    visit_samples(model.examples, state, model.relevant, problem, listed, int(generator.integers(2**32)), passes)


def _balance(duals):
    """Scales down what is too much, positive or negative, so that the duals sum to 0: then they prove a bound."""
    a, b = duals[duals > 0].sum(), -duals[duals < 0].sum()
    if a > b:
        duals[duals > 0] *= b / a
    elif b > a:
        duals[duals < 0] *= a / b
