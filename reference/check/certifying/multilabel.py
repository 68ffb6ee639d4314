"""Multilabel losses and fits: definitions, and bounds of the suboptimality."""

from ..certificates import multilabel as certificates
from ..certificates.rounding import tolerance
from ._base import Condition, numbers, suboptimality
from .svm import equal_to_product, weights_of, with_duals

DIFFERENCE = "largest difference from the definition, relative to 1 or the largest score"


def multilabel_error(answer, scores, Y):
    """The answer must be equal to the definition."""
    errors = numbers(answer, (len(scores),), "the errors")
    apart = certificates.multilabel_error(errors, scores, Y)
    return [Condition(apart, 0.0, "largest difference from the definition of the multilabel error")]


def multilabel_hinge(answer, scores, Y, smoothing):
    """`answer` is the losses (n,)."""
    losses = numbers(answer, (len(scores),), "the losses")
    return [_difference(certificates.multilabel_hinge(losses, scores, Y, smoothing), losses, scores)]


def multilabel_entropy(answer, scores, Y):
    """`answer` is the losses (n,)."""
    losses = numbers(answer, (len(scores),), "the losses")
    return [_difference(certificates.multilabel_entropy(losses, scores, Y), losses, scores)]


def multilabel_hinge_gradient(answer, scores, Y, smoothing):
    """`answer` is the gradient (n, m)."""
    gradient = numbers(answer, scores.shape, "the gradient")
    return [_difference(certificates.multilabel_hinge_gradient(gradient, scores, Y, smoothing), gradient, scores)]


def multilabel_entropy_gradient(answer, scores, Y):
    """`answer` is the gradient (n, m)."""
    gradient = numbers(answer, scores.shape, "the gradient")
    return [_difference(certificates.multilabel_entropy_gradient(gradient, scores, Y), gradient, scores)]


def fit_multilabel(answer, X, Y, loss, smoothing, regularization, tol, sample_weight, **_):
    """`answer` is a fit, a dict, a pair (weights, duals), or the duals (n, m) alone, dense or sparse."""
    parts = with_duals(answer)
    duals, weights = numbers(parts["duals"], Y.shape, "duals"), weights_of(parts, (X.shape[1], Y.shape[1]))
    found = certificates.bounds_of(duals, X, Y, weights, loss, smoothing, regularization, sample_weight)
    return [suboptimality(found, tol), *equal_to_product(weights, X, duals)]


def _difference(apart, answer, scores):
    return Condition(apart, tolerance(answer.dtype, scores.shape[1]), DIFFERENCE)
