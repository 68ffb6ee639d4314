"""Conditions of the top-k entropy and its truncated relative: definitions, and bounds of the suboptimality."""

from functools import partial

from ..judging.condition import Condition
from ..proofs.rounding import relative, tolerance
from ..topk_svm.conditions import kernel_fit, linear_fit
from . import bounds

NOT_CONVEX = "The objective is not convex for k > 1: a small gradient does not prove a global minimum."
PROBLEM = ("k", "regularization", "sample_weight")


def _loss(name, problem, answer):
    apart = getattr(bounds, name)(answer, problem.scores, problem.y, problem.k)
    what = "largest difference from the definition, relative to 1 or the largest score"
    return [Condition(apart, tolerance(answer.dtype, problem.scores.shape[1]), what)]


def topk_entropy(problem, losses):
    """The losses are those of the definition."""
    return _loss("topk_entropy", problem, losses)


def topk_entropy_gradient(problem, gradient):
    """The gradient is the maximiser of the definition."""
    return _loss("topk_entropy_gradient", problem, gradient)


def truncated_topk_entropy(problem, losses):
    """The losses are those of the definition."""
    return _loss("truncated_topk_entropy", problem, losses)


def truncated_topk_entropy_gradient(problem, gradient):
    """The gradient is the softmax of the classes that count."""
    return _loss("truncated_topk_entropy_gradient", problem, gradient)


def fit_topk_entropy(problem, duals, weights=None, **claims):
    """As for `fit_topk_svm`, with the top-k entropy."""
    return linear_fit(problem, bounds.loss_of(problem.k), duals, weights, claims)


def fit_topk_entropy_kernel(problem, duals, weights=None, **claims):
    """As for `fit_topk_svm_kernel`, with the top-k entropy."""
    return kernel_fit(problem, bounds.loss_of(problem.k), duals, claims)


def fit_truncated_topk_entropy(problem, weights, primal=None, gradient_norm=None, iterations=None):
    """The gradient at the weights is small, and the objective and the norm are those that are reported."""
    options, rounding = problem.only(*PROBLEM), tolerance(weights.dtype, weights.size)
    norm = bounds.fit_truncated_topk_entropy(weights, problem.X, problem.y, **options)
    exact = bounds.truncated_primal(weights, problem.X, problem.y, **options)
    what, expected = "norm of the gradient at the weights, relative to the mean of s_i |x_i|", {"primal": exact}
    detail = f"the gradient at its weights has the norm {norm:.1e}, at most {problem.tol:.1e} asked"
    expected["gradient_norm"] = norm
    yield Condition(norm, problem.tol + rounding, what, NOT_CONVEX, detail=detail, expected=expected)
    claimed = partial(Condition, reason="reports something else")
    if primal is not None:
        apart, detail = (
            relative(abs(primal - exact), exact),
            f"reports a primal of {primal:.6g}, its weights say {exact:.6g}",
        )
        yield claimed(apart, rounding, "distance of the primal from that of the weights, relative", detail=detail)
    if gradient_norm is not None:
        detail = f"reports a gradient norm of {gradient_norm:.1e}, its weights say {norm:.1e}"
        yield claimed(
            abs(gradient_norm - norm), rounding, "distance of the norm from that of the weights", detail=detail
        )
