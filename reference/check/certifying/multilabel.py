"""Multilabel losses and fits: definitions and duality gaps, recomputed."""

import numpy as np

from ..certificates import multilabel as certificates
from ..certificates.rounding import tolerance
from ._base import Condition, needed, numbers, parts_of
from .svm import GAP, PRODUCT

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
    parts = parts_of(answer, "weights", "duals") if isinstance(answer, tuple) else parts_of(answer, "duals")
    needed(parts, "duals")
    duals = numbers(parts["duals"], Y.shape, "duals")
    problem = {"loss": loss, "smoothing": smoothing, "regularization": regularization, "sample_weight": sample_weight}
    gap, outside = certificates.multilabel_gap_and_outside(duals, X, Y, **problem)
    note = f"The gap is {gap:.2g}, the distance from the domain {outside:.2g}."
    allowed = certificates.allowed_gap(tol, duals.dtype, len(duals))
    conditions = [Condition(gap + outside, allowed, GAP, note)]
    if "weights" in parts:
        weights = numbers(parts["weights"], (X.shape[1], Y.shape[1]), "weights")
        exact = duals.astype(np.float64)
        apart = np.abs(weights - X.T.astype(np.float64) @ exact).max()
        unit = (abs(X).T.astype(np.float64) @ np.abs(exact)).max() or 1.0
        conditions.append(Condition(apart / unit, tolerance(weights.dtype, len(Y)), PRODUCT))
    return conditions


def _difference(apart, answer, scores):
    return Condition(apart, tolerance(answer.dtype, scores.shape[1]), DIFFERENCE)
