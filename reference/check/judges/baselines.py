"""Judges fits of TopPush and SVMperf by CVXPY and by the bounds that weights and duals prove.

All other numbers of the fit are recomputed from the weights and the duals. The weights bound the minimum from above and
the duals bound it from below. If CVXPY knows the minimum, it must be between the two.
"""

import numpy as np

from ...ground_truth import topk_baselines as programmes
from ..certificates import baselines as certificates
from ..judging.outcome import DIFFERS, Outcome, answer_dtype, described, form, tolerance
from .ranking_svm import history_kept

LARGEST_PROGRAMME = 60  # samples
CVXPY_ERROR = 1e-7  # of the objective at 0, which is about 1
FIELDS = ("weights", "duals", "primal", "dual", "gap", "iterations", "history")
EARLY = "ConvergenceWarning"


def fit(name):
    """Returns the judge of fit_top_push or fit_svm_perf."""

    def judge(case, reply):
        arguments, answer = case.arguments, reply.answer
        if wrong := _form(arguments, answer):
            return wrong
        bounds = bounds_of(name, arguments, answer)
        minimum, size = optimum(name, arguments), max(1.0, bounds.primal)
        error = None if minimum is None else abs(bounds.primal - minimum) / size
        truth = bounds._asdict() | ({} if minimum is None else {"minimum": minimum})
        outcome = Outcome("", "", error, bounds.value, truth, {field: answer[field] for field in FIELDS[:-1]})
        for check in (_optimum, _certified, _reported, history_kept):
            outcome = check(case, answer, bounds, outcome)
            if outcome.reason:
                return outcome
        return outcome._replace(error=None, certificate=None) if case.warns == EARLY else outcome

    return judge


def bounds_of(name, arguments, answer):
    """Returns the Bounds that the weights and the duals of an answer prove."""
    bounds = getattr(certificates, name.removeprefix("fit_") + "_bounds")
    return bounds(answer["weights"], answer["duals"], arguments["X"], arguments["relevant"], **_problem(arguments))


def optimum(name, arguments):
    """Returns the minimum that CVXPY finds, or None if the instance is too large or the solver fails."""
    if np.size(arguments["relevant"]) > LARGEST_PROGRAMME:
        return None
    X = arguments["X"].astype(np.float64)
    try:
        return max(0.0, float(getattr(programmes, name)(X, arguments["relevant"], **_problem(arguments))[1]))
    except RuntimeError:
        return None


def _problem(arguments):
    return {key: arguments[key] for key in ("k", "loss", "regularization", "sample_weight") if key in arguments}


def _allowed(case, answer):
    """Returns the rounding error of an objective, relative to its value at 0, which is 1 or a little less."""
    return tolerance(answer["weights"].dtype, np.size(case.arguments["relevant"]))


def _form(arguments, answer):
    """Returns the Outcome of an answer that is not a TopRankFit of the right shapes, or None."""
    if not isinstance(answer, dict) or not set(FIELDS) <= set(answer):
        return Outcome("wrong type", f"a fit should be a TopRankFit, got {described(answer)}", got=answer)
    X, shape = arguments["X"], np.shape(arguments["relevant"])
    wrong = form(answer["weights"], (X.shape[1], *shape[1:]), answer_dtype(X), "weights")
    wrong = wrong or form(answer["duals"], shape, answer_dtype(X), "duals")
    for field in ("primal", "dual", "gap", "iterations"):
        value = answer[field]
        if not isinstance(value, (int, float, np.number)) or isinstance(value, bool) or not np.isfinite(value):
            detail = f"{field} should be a finite number, got {described(value)}"
            wrong = wrong or Outcome("wrong type", detail, got=value)
    return wrong


def _optimum(case, answer, bounds, outcome):
    """Checks that the primal is at least the minimum, and at most `tol` above it unless a warning is due."""
    minimum = outcome.expected.get("minimum")
    if minimum is None:
        return outcome
    slack = max(CVXPY_ERROR, _allowed(case, answer)) * max(1.0, bounds.primal)
    most = np.inf if case.warns == EARLY else minimum / (1 - case.arguments["tol"])
    if not minimum - slack <= bounds.primal <= most + slack:
        detail = f"the primal of its weights is {bounds.primal:.8g}, the minimum {minimum:.8g}"
        return outcome._replace(reason=DIFFERS, detail=detail)
    if bounds.dual > minimum + slack:
        detail = f"its duals prove a bound of {bounds.dual:.8g}, the minimum is {minimum:.8g}"
        return outcome._replace(reason="no lower bound", detail=detail)
    return outcome


def _certified(case, answer, bounds, outcome):
    """Checks that the suboptimality that the duals prove is at most `tol`, up to rounding, unless a warning is due."""
    allowed = case.arguments["tol"] + _allowed(case, answer) * _unit_of_gap(bounds)
    if case.warns == EARLY or bounds.value <= allowed:
        return outcome
    detail = f"its duals prove a suboptimality of {bounds.value:.1e}; it reports a gap of {answer['gap']:.1e}"
    return outcome._replace(reason="certificate", detail=detail)


def _unit_of_gap(bounds):
    """Returns the factor by which the relative gap is rounded more than the objectives."""
    return max(1.0, 1 / bounds.primal) if bounds.primal > 0 else 1.0


def _reported(case, answer, bounds, outcome):
    """Checks that the reported objectives and gap are those of the weights and the duals."""
    allowed = 4 * _allowed(case, answer)
    size, unit = max(1.0, bounds.primal), _unit_of_gap(bounds)
    gap = max(0.0, 1 - bounds.given / bounds.objective) if bounds.objective > 0 else 0.0
    for field, expected, scale in (
        ("primal", bounds.objective, size), ("dual", bounds.given, max(size, abs(bounds.given))), ("gap", gap, unit)
    ):  # fmt: skip
        if not abs(float(answer[field]) - expected) <= allowed * max(scale, abs(expected)):
            detail = f"reports {field} {answer[field]:.6g}, its weights and duals have {expected:.6g}"
            return outcome._replace(reason="reports something else", detail=detail)
    if answer["gap"] < 0:
        return outcome._replace(reason="reports something else", detail="a negative gap")
    return outcome
