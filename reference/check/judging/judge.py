"""The one judge of all functions: the form of an answer, its distance from the ground truth, and its conditions."""

import numpy as np

from ..proofs.rounding import tolerance
from . import arguments as calls
from . import outcome as outcomes
from .answers import Malformed, strictly
from .condition import DIFFERS, Exactly, Minimum
from .outcome import Outcome
from .spec import DTYPES, is_array


def judge(spec, case, reply):
    """Returns the Outcome of an answer of a call in which `conduct` has found nothing wrong."""
    problem = calls.problem_of(spec.name, case.arguments)
    axes, truth = spec.parts(problem), truth_of(spec, case.arguments, problem)
    shown = _shown(spec, case, axes, truth) if isinstance(truth, Exactly) else None
    parts, wrong = strictly(spec, case.arguments, axes, reply.answer)
    if wrong:
        return wrong._replace(expected=shown)
    unfinished = case.warns == "ConvergenceWarning"
    try:
        conditions = list(spec.part("conditions")(problem, **parts))
        conditions = [*truth(**parts), *conditions] if callable(truth) and not unfinished else conditions
    except Malformed as trouble:
        return Outcome(trouble.reason, str(trouble), expected=shown, got=reply.answer)
    got = {name: part for name, part in parts.items() if axes[name] != "any"}
    outcome, minimum = Outcome("", "", None, None, shown, _alone(got)), None
    if isinstance(truth, Exactly):
        compared = (conditions[0].expected or {}) if truth.recomputed else parts
        outcome = _compared(spec, case, outcome, truth, compared) if compared else outcome
    elif isinstance(truth, Minimum) and not unfinished:
        minimum = truth
    for condition in conditions:
        if minimum and not outcome.reason and _has_primal(condition):
            outcome, minimum = _bounded(outcome, minimum, condition), None
        outcome = _with(outcome, condition, unfinished)
    return outcome if outcome.reason or truth else outcome._replace(expected=None)


def expected(spec, case):
    """Returns what should have come where no answer was judged, as a failure shows it; None if it is not known."""
    if case.refuses:
        return outcomes.refused_by(case.refuses)
    try:
        problem = calls.problem_of(spec.name, case.arguments)
        truth = truth_of(spec, case.arguments, problem)
        if isinstance(truth, Exactly):
            return _shown(spec, case, spec.parts(problem), truth)
    except (ArithmeticError, LookupError, TypeError, ValueError, RuntimeError):  # the failure is shown without it
        return None
    return {"minimum": float(truth.value)} if isinstance(truth, Minimum) else None


def truth_of(spec, arguments, problem):
    """Returns what the ground truth of these arguments is, or None if the conditions alone judge."""
    truth = spec.part("truth")
    return truth and outcomes.remembered(spec.name, arguments, lambda: truth(problem))


def _with(outcome, condition, unfinished):
    """Returns the Outcome with what one condition says. The first one that is broken gives the reason.

    If a fit had to warn that it is unfinished, that says that the certificate is not small.
    """
    if condition.reason == DIFFERS:
        outcome = outcome._replace(error=max(outcome.error or 0.0, float(condition.value)))
    elif condition.reason == "certificate":
        if unfinished:
            return outcome
        if outcome.certificate is None:
            outcome = outcome._replace(certificate=float(condition.value))
    if outcome.expected is None:
        outcome = outcome._replace(expected=condition.expected)
    if outcome.reason or condition.is_met:
        return outcome
    detail = condition.detail or f"{condition.what}: {condition.value:.1e}"
    expected = outcome.expected if condition.expected is None else condition.expected
    if condition.reason == "certificate" and _has_primal(condition):  # of the answer: a right one has another
        expected = f"a suboptimality of at most {condition.bound:g}"
    return outcome._replace(reason=condition.reason, detail=detail, expected=expected)


def _has_primal(condition):
    return isinstance(condition.expected, dict) and "primal" in condition.expected


def _compared(spec, case, outcome, truth, parts):
    """Returns the Outcome of an answer with its distance from the ground truth."""
    units = truth.unit if isinstance(truth.unit, dict) else dict.fromkeys(truth.parts, truth.unit)
    apart = (np.abs(np.subtract(parts[name], right, dtype=np.float64)) / units[name]
             for name, right in truth.parts.items() if name in parts)  # fmt: skip
    error = float(np.max([np.max(one) for one in apart]))  # NaN, too, which no tolerance allows
    size = sum(np.shape(case.arguments[name])[-1] for name in spec.points) if spec.points else 1
    allowed = tolerance(spec.dtype(case.arguments), size) if truth.allowed is None else truth.allowed
    if error <= allowed + truth.doubt:
        return outcome._replace(error=error)
    return outcome._replace(error=error, reason=truth.reason, detail=truth.detail.format(error))


def _bounded(outcome, minimum, certificate):
    """The primal is no better than the minimum, and worse by no more than the certificate and its bound say.

    Both are relative to the primal.
    """
    primal, unit, slack = certificate.expected["primal"], max(minimum.value, minimum.unit), minimum.doubt
    error, most = (primal - minimum.value) / unit, min(certificate.value, certificate.bound + certificate.rounding)
    outcome = outcome._replace(error=abs(error))
    if -slack <= error and primal - minimum.value <= most * primal + slack * max(primal, minimum.unit):
        return outcome
    detail = f"its primal is {primal:.8g}, the minimum {minimum.value:.8g}"
    return outcome._replace(reason=DIFFERS, detail=detail, expected={"minimum": float(minimum.value)})


def _shown(spec, case, axes, truth):
    dtype = spec.dtype(case.arguments)
    typed = [name for name in truth.parts if is_array(axes[name]) and not {*DTYPES} & {*axes[name].split()}]
    return _alone(truth.parts | {name: np.asarray(truth.parts[name]).astype(dtype) for name in typed})


def _alone(parts):
    return next(iter(parts.values())) if len(parts) == 1 else parts
