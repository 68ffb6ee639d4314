"""Conditions of the top-k losses and SVMs: definitions, and bounds of the suboptimality."""

import numpy as np

from ..judging.condition import Condition, suboptimality
from ..proofs.duality import Gram, Linear
from ..proofs.rounding import relative, tolerance
from . import bounds, hinges

PRODUCT = "distance of the weights from X' duals, relative to |X|' |duals|"
RECORDED = ("primal", "dual", "gap", "seconds")
OF_PARTS = ("communications", "sigma", "gathered")  # what a history of parts has besides
LOSS = ("k", "kind", "smoothing")


def topk_error(problem, errors):
    """The errors are equal to the definition."""
    apart = hinges.topk_error(errors, problem.scores, problem.y, problem.k)
    return [Condition(apart, 0.0, "largest difference from the definition of the top-k error")]


def topk_hinge(problem, losses):
    """The losses are those of the definition."""
    apart = hinges.topk_hinge(losses, problem.scores, problem.y, **problem.only(*LOSS))
    what = "largest difference from the definition of the top-k hinge, relative to 1 or the largest score"
    return [Condition(apart, tolerance(losses.dtype, problem.scores.shape[1]), what)]


def topk_hinge_gradient(problem, gradient):
    """The gradient is that of the definition. Without smoothing, every subgradient is right."""
    apart = bounds.topk_hinge_gradient(gradient, problem.scores, problem.y, **problem.only(*LOSS))
    what = "largest difference from the gradient of the smooth top-k hinge, relative to its size, plus sums of rows"
    if problem.smoothing == 0:
        what = "what u lacks to be a maximiser in the domain, relative to 1 or the largest score, plus sums of rows"
    return [Condition(apart, tolerance(gradient.dtype, gradient.shape[1]), what)]


def fit_topk_svm(problem, duals, weights=None, **claims):
    """The duals prove that the weights are nearly optimal, the weights are X' duals, and what is reported is so."""
    loss = bounds.hinge(**problem.only(*LOSS))  # parts have no smoothing
    return linear_fit(problem, loss, duals, weights, claims)


def fit_topk_svm_kernel(problem, duals, weights=None, **claims):
    """The duals prove that they are nearly optimal. Weights are not known."""
    return kernel_fit(problem, bounds.hinge(**problem.only(*LOSS)), duals, claims)


def fit_topk_svm_parts(problem, duals, weights=None, **claims):
    """As for `fit_topk_svm`: how the examples were cut into parts proves nothing."""
    return fit_topk_svm(problem, duals, weights, **claims)


def linear_fit(problem, loss, duals, weights, claims):
    """Returns the conditions of a fit to features, for a loss of (y, m)."""
    found = bounds.bounds_of(duals, Linear(problem.X), problem.y, weights, loss, *_weighing(problem))
    return [*equal_to_product(weights, problem.X, duals), *proved_and_claimed(problem, found, duals, claims)]


def kernel_fit(problem, loss, duals, claims):
    """Returns the conditions of a fit to inner products, for a loss of (y, m)."""
    found = bounds.bounds_of(duals, Gram(problem.K), problem.y, None, loss, *_weighing(problem))
    note = "" if np.isfinite(found.value) else "K has an eigenvalue below 0, so that no minimum has a bound."
    return proved_and_claimed(problem, found, duals, claims, note)


def equal_to_product(weights, X, duals):
    """Returns the condition that the weights are X' duals, if there are weights."""
    if weights is None:
        return []
    features, exact = Linear(X), duals.astype(np.float64)
    apart = np.abs(weights - features.weights(exact)[0]).max()
    unit = features.transposed_sizes(np.abs(exact)).max()
    detail = f"the weights differ from X' duals by {apart:.1e}"
    bound = tolerance(weights.dtype, len(exact))
    return [Condition(relative(apart, unit), bound, PRODUCT, reason="weights", detail=detail)]


def _weighing(problem):
    return problem.regularization, problem.sample_weight


def proved_and_claimed(problem, found, duals, claims, note=""):
    """Returns the condition of what is proved, and those of what a fit claims: `certify` does not ask for claims."""
    truth = {"primal": found.objective, "dual": found.given}
    truth["gap"] = relative(truth["primal"] - truth["dual"], truth["primal"])
    rounding = tolerance(duals.dtype, len(duals))  # a fit may stop at a gap of `tol` exactly, and round its answer then
    detail = f"its duals have a relative gap of {max(truth['gap'], 0.0):.1e} and prove {found.value:.1e}"
    proved = suboptimality(found, problem.tol, note, detail=detail, expected=truth, rounding=rounding)
    if not claims:
        return [proved]
    fields = RECORDED + (OF_PARTS if hasattr(problem, "parts") else ())
    return [proved, *_reported(truth, 4 * rounding + found.causes[1], fields, **claims)]


def _reported(truth, allowed, fields, primal, dual, gap, epochs, history):
    """What a fit reports is what its duals say, and its history has one record an epoch."""
    reported, unit = {"primal": primal, "dual": dual, "gap": gap}, truth["primal"]
    apart = {name: abs(float(reported[name]) - truth[name]) / (1.0 if name == "gap" else unit) for name in reported}
    worst = max(apart, key=apart.get)
    detail = f"reports {worst} {reported[worst]:.6g}, its duals say {truth[worst]:.6g}"
    value = np.inf if gap < 0 else apart[worst]
    what = "largest difference of what it reports from what its duals say"
    yield Condition(value, allowed, what, reason="reports something else", detail=detail)
    wrong = _wrong_history(fields, history, primal, gap, epochs)
    yield Condition(float(bool(wrong)), 0.0, "history", reason="history", detail=wrong)


def _wrong_history(fields, history, primal, gap, epochs):
    records = [history.get(field) for field in fields] if isinstance(history, dict) else []
    complete = records and all(isinstance(one, np.ndarray) and one.shape == (epochs,) for one in records)
    if not complete or epochs < 1:
        return f"one record ({', '.join(fields)}) an epoch is missing"
    if history["gap"][-1] != gap or history["primal"][-1] != primal:
        return "its last record is not that of the answer"
    return ""
