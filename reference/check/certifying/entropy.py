"""The top-k entropy and its truncated relative: definitions, gradients, and bounds of the suboptimality."""

from ..certificates import entropy as certificates
from ..certificates.rounding import tolerance
from ._base import Condition, needed, number, numbers, parts_of
from .svm import kernel_fit, linear_fit

NOT_CONVEX = "The objective is not convex for k > 1: a small gradient does not prove a global minimum."


def _loss(name, answer, shape, scores, y, k):
    values = numbers(answer, shape, "the answer")
    apart = getattr(certificates, name)(values, scores, y, k)
    what = "largest difference from the definition, relative to 1 or the largest score"
    return [Condition(apart, tolerance(values.dtype, scores.shape[1]), what)]


def topk_entropy(answer, scores, y, k):
    """`answer` is the losses (n,), compared with the definition of the loss."""
    return _loss("topk_entropy", answer, y.shape, scores, y, k)


def topk_entropy_gradient(answer, scores, y, k):
    """`answer` is the gradients (n, m), compared with the maximiser of the definition."""
    return _loss("topk_entropy_gradient", answer, scores.shape, scores, y, k)


def truncated_topk_entropy(answer, scores, y, k):
    """`answer` is the losses (n,), compared with the definition of the loss."""
    return _loss("truncated_topk_entropy", answer, y.shape, scores, y, k)


def truncated_topk_entropy_gradient(answer, scores, y, k):
    """`answer` is the gradients (n, m), compared with the softmax of the classes that count."""
    return _loss("truncated_topk_entropy_gradient", answer, scores.shape, scores, y, k)


def fit_topk_entropy(answer, X, y, k, tol, sample_weight, regularization, **_):
    """`answer` is a fit, a dict, a pair (weights, duals), or the duals (n, m) alone, dense or sparse."""
    return linear_fit(answer, X, y, certificates.loss_of(k), regularization, tol, sample_weight)


def fit_topk_entropy_kernel(answer, K, y, k, tol, sample_weight, regularization, **_):
    """`answer` is a fit, a dict, or the duals (n, m) alone, dense or sparse."""
    return kernel_fit(answer, K, y, certificates.loss_of(k), regularization, tol, sample_weight)


def fit_truncated_topk_entropy(answer, X, y, **given):
    """`answer` is a fit, a dict, or the weights (d, m) alone."""
    parts = parts_of(answer, "weights")
    needed(parts, "weights")
    weights = numbers(parts["weights"], (X.shape[1], int(y.max()) + 1), "weights")
    rounding = tolerance(weights.dtype, weights.size)
    norm = certificates.fit_truncated_topk_entropy(weights, X, y, **_problem(given))
    what = "norm of the gradient at the weights, relative to the mean of s_i |x_i|"
    conditions = [Condition(norm, given["tol"] + rounding, what, NOT_CONVEX)]
    if "primal" in parts:
        exact = certificates.truncated_primal(weights, X, y, **_problem(given))
        apart = abs(number(parts["primal"], "primal") - exact) / exact
        conditions.append(Condition(apart, rounding, "distance of the primal from that of the weights, relative"))
    return conditions


def _problem(given):
    return {name: given[name] for name in ("k", "regularization", "sample_weight")}
