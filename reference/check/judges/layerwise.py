"""Judges networks by loops over their units, and each update of a training by CVXPY and by cutting planes."""

import numpy as np

from ...ground_truth import layerwise as truths
from ...problems import layerwise as problems
from .. import certificates
from ..certificates import layerwise as proofs
from ..certifying import layerwise as certifying
from ..certifying._base import Malformed
from ..judging.outcome import DIFFERS, Outcome, answer_dtype, described, form, tolerance
from ..topk_svm.truth import CVXPY_ERROR

FIELDS = ("weights", "objectives", "gap", "trail", "history")
LARGEST_LOOPED, LARGEST_PROGRAMME = 3000, 5  # numbers in X, examples of a fit


def network_scores(case, reply):
    """Judge of network_scores."""
    arguments, answer = case.arguments, reply.answer
    expected = true_scores(arguments)
    if wrong := form(answer, expected.shape, answer_dtype(arguments["X"])):
        return wrong._replace(expected=expected)
    unit = max(1.0, float(np.abs(expected).max()))
    error = float(np.abs(answer - expected).max() / unit)
    residual, allowed = certificates.network_scores(answer, **arguments), tolerance(answer.dtype, arguments["X"].size)
    if not error <= allowed:
        return Outcome(DIFFERS, f"by {error:.1e}, relative", error, residual, expected, answer)
    reason = "" if residual <= allowed else "certificate"
    return Outcome(reason, f"its certificate is {residual:.1e}, not 0", error, residual, expected, answer)


def true_scores(arguments):
    """Returns the scores in float64, unit by unit if there are few."""
    X = arguments["X"].astype(np.float64)
    if X.size <= LARGEST_LOOPED:
        return truths.network_scores(**{**arguments, "X": X})
    return proofs.true_scores(problems.network_scores(**arguments))


def fit_layerwise(case, reply):
    """Judge of fit_layerwise. It rebuilds each update from the trail."""
    arguments, answer = case.arguments, reply.answer
    if not isinstance(answer, dict) or not set(FIELDS) <= set(answer):
        return Outcome("wrong type", f"it should be a LayerwiseFit, got {described(answer)}", got=answer)
    shown = {name: answer[name] for name in ("objectives", "gap", "trail")}
    if wrong := _types(arguments, answer):
        return wrong
    tol = problems.fit_layerwise(**arguments).tol
    try:
        conditions = certifying.fit_layerwise(answer, **arguments)
    except Malformed as trouble:
        return Outcome("wrong shape", str(trouble), got=shown)
    gap, *others = conditions
    outcome = Outcome("", "", None, None if case.warns else float(gap.value), None, shown)
    for condition in others:
        if not condition.value <= condition.bound:
            detail = f"{condition.what}: {condition.value:.1e}"
            return outcome._replace(reason="reports something else", detail=detail, expected="0")
    expected = f"a gap of at most {tol:g}"
    allowed = gap.bound + tolerance(answer["trail"][0].dtype, arguments["X"].size)
    if not case.warns and not gap.value <= allowed:
        detail = f"an update has a relative gap of {gap.value:.1e}; it reports {answer['gap']:.1e}"
        return outcome._replace(reason="certificate", detail=detail, expected=expected)
    if not (np.ndim(answer["gap"]) == 0 and (answer["gap"] >= gap.value - allowed or not case.warns)):
        return outcome._replace(reason="reports something else", detail="the gap is too small", expected=expected)
    return _first_update(case, answer, tol, outcome)


def _types(arguments, answer):
    dtype = answer_dtype(arguments["X"])
    for name in ("weights", "trail"):
        parts = answer[name]
        if not isinstance(parts, (list, tuple)) or not all(isinstance(part, np.ndarray) for part in parts):
            return Outcome("wrong type", f"{name} should be a tuple of arrays, got {described(parts)}", got=parts)
        if any(part.dtype != dtype for part in parts):
            return Outcome("wrong dtype", f"{name} should be {dtype}", got=parts)
    return None


def _first_update(case, answer, tol, outcome):
    """The primal of the first update is no better than the minimum of CVXPY, and worse by no more than the gap."""
    minimum = optimum(case.arguments)
    if minimum is None:
        return outcome
    first = next(proofs.updates(answer["trail"][:1], **case.arguments))
    error = (first.primal - minimum) / minimum
    slack = max(CVXPY_ERROR, tolerance(answer["trail"][0].dtype, case.arguments["X"].size))
    most = np.inf if case.warns else tol + slack
    if not (-slack <= error <= most and first.bound <= minimum * (1 + slack)):
        detail = f"the first update has the primal {first.primal:.8g}, the minimum is {minimum:.8g}"
        return outcome._replace(reason=DIFFERS, detail=detail, expected={"minimum": float(minimum)})
    return outcome if case.warns else outcome._replace(error=max(0.0, error))


def optimum(arguments):
    """Returns the minimum of the first update by CVXPY; None if there are too many examples, or the solver fails."""
    problem = problems.fit_layerwise(**arguments)
    if len(problem.rows) > LARGEST_PROGRAMME:
        return None
    names = ("X", "y", "layers", "loss", "groups", "regularization", "proximity")
    given = {name: arguments[name] for name in names if name in arguments}
    try:
        return truths.convex_minimum(weights=problem.weights, k=0, **given)[1]
    except RuntimeError:
        return None
