"""Top-k losses, top-k SVMs, TopPush and SVMperf: definitions and duality gaps, recomputed."""

import numpy as np

from ..certificates import baselines as bounds
from ..certificates import svm as certificates
from ..certificates.rounding import tolerance
from ._base import Condition, needed, numbers, parts_of

GAP = "relative duality gap recomputed from the duals plus their distance from the domain"
PRODUCT = "distance of the weights from X' duals, relative to |X|' |duals|"


def topk_error(answer, scores, y, k):
    """The answer must be equal to the definition."""
    errors = numbers(answer, y.shape, "the errors")
    apart = certificates.topk_error(errors, scores, y, k)
    return [Condition(apart, 0.0, "largest difference from the definition of the top-k error")]


def topk_hinge(answer, scores, y, k, kind, smoothing):
    """`answer` is the losses (n,), compared with the definition of the loss."""
    losses = numbers(answer, y.shape, "the losses")
    apart = certificates.topk_hinge(losses, scores, y, k, kind, smoothing)
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


def fit_topk_svm(answer, X, y, **given):
    """`answer` is a fit, a dict, a pair (weights, duals), or the duals (n, m) alone, dense or sparse."""
    parts, m = _with_duals(answer), int(y.max()) + 1
    duals = numbers(parts["duals"], (len(y), m), "duals")
    conditions = [_gap(certificates.gap_and_outside(duals, X, y, **_problem(given)), duals, given["tol"])]
    if "weights" in parts:
        weights = numbers(parts["weights"], (X.shape[1], m), "weights")
        exact = duals.astype(np.float64)
        apart = np.abs(weights - X.T.astype(np.float64) @ exact).max()
        unit = (abs(X).T.astype(np.float64) @ np.abs(exact)).max() or 1.0
        conditions.append(Condition(apart / unit, tolerance(weights.dtype, len(y)), PRODUCT))
    return conditions


def fit_topk_svm_kernel(answer, K, y, **given):
    """`answer` is a fit, a dict, or the duals (n, m) alone, dense or sparse."""
    duals = numbers(_with_duals(answer)["duals"], (len(y), int(y.max()) + 1), "duals")
    return [_gap(certificates.kernel_gap_and_outside(duals, K, y, **_problem(given)), duals, given["tol"])]


def fit_topk_svm_parts(answer, X, y, parts, **given):
    """`answer` is that of `fit_topk_svm`."""
    return fit_topk_svm(answer, X, y, **given)


def fit_top_push(answer, X, relevant, regularization, tol, sample_weight, **_):
    """`answer` is a fit, a dict, or a pair (weights, duals)."""
    problem = {"regularization": regularization, "sample_weight": sample_weight}
    return _bounded(bounds.top_push_bounds, answer, X, relevant, tol, problem)


def fit_svm_perf(answer, X, relevant, k, loss, regularization, tol, sample_weight, **_):
    """`answer` is a fit, a dict, or a pair (weights, duals)."""
    problem = {"k": k, "loss": loss, "regularization": regularization, "sample_weight": sample_weight}
    return _bounded(bounds.svm_perf_bounds, answer, X, relevant, tol, problem)


def _with_duals(answer):
    parts = parts_of(answer, "weights", "duals") if isinstance(answer, tuple) else parts_of(answer, "duals")
    needed(parts, "duals")
    return parts


def _problem(given):
    names = ("k", "kind", "smoothing", "regularization", "sample_weight")
    return {name: given[name] for name in names if name in given}  # a fit on parts has no smoothing


def _gap(terms, duals, tol):
    gap, outside = terms
    note = f"The gap is {gap:.2g}, the distance from the domain {outside:.2g}."
    return Condition(gap + outside, certificates.allowed_gap(tol, duals.dtype, len(duals)), GAP, note)


def _bounded(bounds_of, answer, X, relevant, tol, problem):
    parts = parts_of(answer, "weights", "duals")
    needed(parts, "weights", "duals")
    weights = numbers(parts["weights"], (X.shape[1], *relevant.shape[1:]), "weights")
    duals = numbers(parts["duals"], relevant.shape, "duals")
    found, rounding = bounds_of(weights, duals, X, relevant, **problem), tolerance(weights.dtype, relevant.size)
    gap, note = max(found.gap, 0.0), f"The gap is {found.gap:.2g}, the distance from the domain {found.outside:.2g}."
    what = "relative gap between the primal of the weights and the dual of the duals, plus the share outside the domain"
    return [
        Condition(gap + found.outside, bounds.allowed_gap(found, tol, rounding) + rounding, what, note),
        Condition(found.outside, rounding, "share of the duals that is outside their domain"),
    ]
