"""Conditions of multilabel losses and fits: definitions, and bounds of the suboptimality."""

from ..judging.condition import Condition
from ..proofs.rounding import tolerance
from ..topk_svm.conditions import equal_to_product, proved_and_claimed
from . import bounds

DIFFERENCE = "largest difference from the definition, relative to 1 or the largest score"


def multilabel_error(problem, errors):
    """The errors are equal to the definition."""
    apart = bounds.multilabel_error(errors, problem.scores, problem.Y)
    return [Condition(apart, 0.0, "largest difference from the definition of the multilabel error")]


def multilabel_hinge(problem, losses):
    """The losses are those of the definition."""
    return _difference(bounds.multilabel_hinge(losses, problem.scores, problem.Y, problem.smoothing), losses, problem)


def multilabel_hinge_gradient(problem, gradient):
    """The gradient is (-u, v) of the definition."""
    apart = bounds.multilabel_hinge_gradient(gradient, problem.scores, problem.Y, problem.smoothing)
    return _difference(apart, gradient, problem)


def multilabel_entropy(problem, losses):
    """The losses are those of the definition."""
    return _difference(bounds.multilabel_entropy(losses, problem.scores, problem.Y), losses, problem)


def multilabel_entropy_gradient(problem, gradient):
    """The gradient is that of the definition."""
    return _difference(bounds.multilabel_entropy_gradient(gradient, problem.scores, problem.Y), gradient, problem)


def fit_multilabel(problem, duals, weights=None, **claims):
    """The duals prove that the weights are nearly optimal, the weights are X' duals, and what is reported is so."""
    options = problem.loss, problem.smoothing, problem.regularization, problem.sample_weight
    found = bounds.bounds_of(duals, problem.X, problem.Y, weights, *options)
    return [*equal_to_product(weights, problem.X, duals), *proved_and_claimed(problem, found, duals, claims)]


def _difference(apart, answer, problem):
    return [Condition(apart, tolerance(answer.dtype, problem.scores.shape[1]), DIFFERENCE)]
