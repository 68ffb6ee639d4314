"""Top-k losses, top-k SVMs, TopPush and SVMperf: definitions, and bounds of the suboptimality."""

import numpy as np

from ..certificates import baselines, hinges
from ..certificates import svm as certificates
from ..certificates.duality import Gram, Linear
from ..certificates.rounding import relative, tolerance
from ._base import Condition, needed, numbers, parts_of, suboptimality

PRODUCT = "distance of the weights from X' duals, relative to |X|' |duals|"


def topk_error(answer, scores, y, k):
    """The answer must be equal to the definition."""
    errors = numbers(answer, y.shape, "the errors")
    apart = hinges.topk_error(errors, scores, y, k)
    return [Condition(apart, 0.0, "largest difference from the definition of the top-k error")]


def topk_hinge(answer, scores, y, k, kind, smoothing):
    """`answer` is the losses (n,), compared with the definition of the loss."""
    losses = numbers(answer, y.shape, "the losses")
    apart = hinges.topk_hinge(losses, scores, y, k, kind, smoothing)
    what = "largest difference from the definition of the top-k hinge, relative to 1 or the largest score"
    return [Condition(apart, tolerance(losses.dtype, scores.shape[1]), what)]


def topk_hinge_gradient(answer, scores, y, k, kind, smoothing):
    """`answer` is the gradient (n, m). Without smoothing, every subgradient is right."""
    gradient = numbers(answer, scores.shape, "the gradient")
    apart = certificates.topk_hinge_gradient(gradient, scores, y, k, kind, smoothing)
    what = "largest difference from the gradient of the smooth top-k hinge, relative to its size, plus sums of rows"
    if smoothing == 0:
        what = "what u lacks to be a maximiser in the domain, relative to 1 or the largest score, plus sums of rows"
    return [Condition(apart, tolerance(gradient.dtype, scores.shape[1]), what)]


def fit_topk_svm(answer, X, y, tol, sample_weight, regularization, **given):
    """`answer` is a fit, a dict, a pair (weights, duals), or the duals (n, m) alone, dense or sparse."""
    return linear_fit(answer, X, y, _loss(given), regularization, tol, sample_weight)


def fit_topk_svm_kernel(answer, K, y, tol, sample_weight, regularization, **given):
    """`answer` is a fit, a dict, or the duals (n, m) alone, dense or sparse."""
    return kernel_fit(answer, K, y, _loss(given), regularization, tol, sample_weight)


def fit_topk_svm_parts(answer, X, y, parts, **given):
    """`answer` is that of `fit_topk_svm`."""
    return fit_topk_svm(answer, X, y, **given)


def fit_top_push(answer, X, relevant, regularization, tol, sample_weight, **_):
    """`answer` is a fit, a dict, or a pair (weights, duals)."""
    problem = {"regularization": regularization, "sample_weight": sample_weight}
    return _bounded(baselines.top_push_bounds, answer, X, relevant, tol, problem)


def fit_svm_perf(answer, X, relevant, k, loss, regularization, tol, sample_weight, **_):
    """`answer` is a fit, a dict, or a pair (weights, duals)."""
    problem = {"k": k, "loss": loss, "regularization": regularization, "sample_weight": sample_weight}
    return _bounded(baselines.svm_perf_bounds, answer, X, relevant, tol, problem)


def linear_fit(answer, X, y, loss, *problem_and_tol):
    """Returns the conditions of a fit to features, for a loss of (y, m)."""
    parts, shape = with_duals(answer), (len(y), int(y.max()) + 1)
    duals, weights = numbers(parts["duals"], shape, "duals"), weights_of(parts, (X.shape[1], shape[1]))
    regularization, tol, sample_weight = problem_and_tol
    found = certificates.bounds_of(duals, Linear(X), y, weights, loss, regularization, sample_weight)
    return [suboptimality(found, tol), *equal_to_product(weights, X, duals)]


def kernel_fit(answer, K, y, loss, regularization, tol, sample_weight):
    """Returns the conditions of a fit to inner products, for a loss of (y, m)."""
    duals = numbers(with_duals(answer)["duals"], (len(y), int(y.max()) + 1), "duals")
    found = certificates.bounds_of(duals, Gram(K), y, None, loss, regularization, sample_weight)
    note = "" if np.isfinite(found.value) else "K has an eigenvalue below 0, so that no minimum has a bound."
    return [suboptimality(found, tol, note)]


def with_duals(answer):
    """Returns the parts of an answer that is a pair (weights, duals), duals alone, or a fit."""
    parts = parts_of(answer, "weights", "duals") if isinstance(answer, tuple) else parts_of(answer, "duals")
    needed(parts, "duals")
    return parts


def weights_of(parts, shape):
    """Returns the weights of an answer, or None."""
    return numbers(parts["weights"], shape, "weights") if "weights" in parts else None


def equal_to_product(weights, X, duals):
    """Returns the condition that the weights are X' duals, if there are weights."""
    if weights is None:
        return []
    features, exact = Linear(X), duals.astype(np.float64)
    apart = np.abs(weights - features.weights(exact)[0]).max()
    unit = features.transposed_sizes(np.abs(exact)).max()
    return [Condition(relative(apart, unit), tolerance(weights.dtype, len(exact)), PRODUCT)]


def _loss(given):
    names = ("k", "kind", "smoothing")
    return certificates.hinge(**{name: given[name] for name in names if name in given})  # parts have no smoothing


def _bounded(bounds_of, answer, X, relevant, tol, problem):
    parts = parts_of(answer, "weights", "duals")
    needed(parts, "weights", "duals")
    weights = numbers(parts["weights"], (X.shape[1], *relevant.shape[1:]), "weights")
    duals = numbers(parts["duals"], relevant.shape, "duals")
    return [suboptimality(bounds_of(weights, duals, X, relevant, **problem), tol)]
