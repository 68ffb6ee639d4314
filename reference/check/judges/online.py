"""Judges squished columns, updates and passes over a stream by exact fractions, CVXPY, certificates and replays."""

import numpy as np

from ...ground_truth import enumeration
from ...ground_truth import passive_aggressive as programmes
from .. import certificates
from ..judging.outcome import DIFFERS, Outcome, answer_dtype, described, form, remembered, tolerance
from ..judging.rounding import relative
from ..projections.truth import LARGEST_ENUMERATED, LARGEST_PROGRAMME, WORST_TRUTH
from ..replays import streams

LARGEST_EXACT = 100  # weights
FIELDS = ("weights", "averaged", "mistakes", "updates")


# --- one answer ----------------------------------------------------------------------------------------------------


def squish_column(case, reply):
    """Judge of squish_column."""
    z = case.arguments["z"]

    def unit(x):
        return max(float(np.abs(z).max()), float(np.abs(x).max()))

    return _verdict("squish_column", case.arguments, reply.answer, true_column, z.shape[-1], unit)


def multiclass_update(case, reply):
    """Judge of multiclass_update. Errors are relative to the longest row of the weights, old or new."""
    A = case.arguments["A"]

    def unit(B):
        return max(streams.longest(A), streams.longest(B))

    return _verdict("multiclass_update", case.arguments, reply.answer, true_update, sum(A.shape), unit)


def true_column(arguments):
    """Returns (the squished column, its error): exact, by CVXPY, or None if it is large."""
    z = arguments["z"]
    exact, programme = z.shape[-1] <= LARGEST_ENUMERATED, max(z.shape[-1], z.size / 10) <= LARGEST_PROGRAMME
    return _truth("squish_column", {**arguments, "z": z.astype(np.float64)}, exact and programme, programme)


def true_update(arguments):
    """Returns (the new weights, their error): exact, by CVXPY, or None if they are many."""
    A = arguments["A"]
    exact, programme = A.size <= LARGEST_EXACT, A.size <= 50 * LARGEST_PROGRAMME
    return _truth("multiclass_update", {**arguments, "A": A.astype(np.float64)}, exact, programme)


@remembered
def _truth(name, arguments, exact, programme):
    if exact:
        return getattr(enumeration, name)(**arguments), 0.0
    if not programme:
        return None, np.inf
    try:
        expected = getattr(programmes, name)(**arguments)
    except RuntimeError:  # the solver failed; the certificate judges alone
        return None, np.inf
    doubt = 10 * getattr(certificates, name)(expected, **arguments)
    return (expected, doubt) if doubt < WORST_TRUTH else (None, np.inf)


def _verdict(name, arguments, answer, truth, size, unit):
    given = next(iter(arguments.values()))
    dtype, (expected, doubt) = answer_dtype(given), truth(arguments)
    shown = None if expected is None else expected.astype(dtype)
    if wrong := form(answer, given.shape, dtype):
        return wrong._replace(expected=shown)
    residual, allowed = getattr(certificates, name)(answer, **arguments), tolerance(dtype, size)
    broken = "" if residual <= allowed else "certificate"
    outcome = Outcome(broken, f"its optimality conditions are broken by {residual:.1e}", None, residual, shown, answer)
    if expected is None:
        return outcome
    error = float(np.abs(answer.astype(np.float64) - expected).max() / (unit(expected) or 1.0))
    if not error <= allowed + doubt:
        outcome = outcome._replace(reason=DIFFERS, detail=f"by {error:.1e}, relative")
    return outcome._replace(error=error)


# --- a pass over a stream ------------------------------------------------------------------------------------------


def fit_passive_aggressive(case, reply):
    """Judge of fit_passive_aggressive: by a replay if the order is given, else by what holds for every order."""
    arguments, answer = case.arguments, reply.answer
    if wrong := _form(arguments, answer):
        return wrong
    return (_replayed if arguments.get("order") is not None else _conserved)(arguments, answer)


def _form(arguments, answer):
    """Returns the Outcome of an answer that is not a PassiveAggressiveFit of the right shapes, or None."""
    if not isinstance(answer, dict) or not set(FIELDS) <= set(answer):
        return Outcome("wrong type", f"a fit should be a PassiveAggressiveFit, got {described(answer)}", got=answer)
    X, _, A, *_ = streams.stream(arguments)
    dtype, steps = answer_dtype(arguments["X"]), X.shape[0] * arguments.get("epochs", 1)
    wrong = form(answer["weights"], A.shape, dtype, "weights")
    if arguments.get("averaged"):
        wrong = wrong or form(answer["averaged"], A.shape, dtype, "averaged")
    elif answer["averaged"] is not None:
        wrong = wrong or Outcome("wrong type", "averaged should be None unless it is asked for", got=answer)
    wrong = wrong or form(answer["mistakes"], (steps,), np.dtype(np.int64), "mistakes")
    updates = answer["updates"]
    if not isinstance(updates, (int, np.integer)) or isinstance(updates, bool):
        wrong = wrong or Outcome("wrong type", f"updates should be an integer, got {described(updates)}", got=updates)
    if wrong is None and not 0 <= updates <= steps:
        wrong = Outcome("updates", f"{updates} of {steps} steps cannot have changed the weights", got=answer)
    return wrong


def _replayed(arguments, answer):
    """Compares weights, their mean, mistakes and updates with those of the replay."""
    truth, asked = streams.replay(arguments), [name for name in ("weights", "averaged") if answer[name] is not None]
    dtype = answer_dtype(arguments["X"])
    expected = {name: getattr(truth, name).astype(dtype) for name in asked}
    expected |= {"mistakes": truth.mistakes, "updates": truth.updates}
    allowed = streams.allowed(truth, dtype)
    errors = {name: relative(np.abs(answer[name] - getattr(truth, name)).max(), truth.unit) for name in asked}
    outcome = Outcome("", "", max(errors.values()), None, expected, {name: answer[name] for name in expected})
    for name, error in errors.items():
        if not error <= allowed:
            return outcome._replace(reason=DIFFERS, detail=f"{name} by {error:.1e}, relative")
    if (step := streams.miscounted(truth, answer["mistakes"])) is not None:
        detail = f"step {step} counts {np.diff(answer['mistakes'], prepend=0)[step]} mistakes"
        return outcome._replace(reason="mistakes", detail=detail)
    if not truth.may_update[0] <= answer["updates"] <= truth.may_update[1]:
        return outcome._replace(reason="updates", detail=f"{truth.updates} steps change the weights")
    return outcome


def _conserved(arguments, answer):
    """Checks what holds in any order: an update moves a multiple of an example from some rows to another row."""
    X, _, A, *_ = streams.stream(arguments)
    asked = [name for name in ("weights", "averaged") if answer[name] is not None]
    outcome = Outcome("", "", None, None, None, {name: answer[name] for name in (*asked, "mistakes", "updates")})
    allowed = tolerance(answer["weights"].dtype, 1) + tolerance(np.float64, len(answer["mistakes"]) * sum(A.shape))
    for name in asked:
        gained, across = streams.conserved(X, A, answer[name])
        if not gained <= allowed:
            expected = {"sums of the columns": A.sum(axis=0)}
            return outcome._replace(reason="columns", detail=f"of {name}: off by {gained:.1e}", expected=expected)
        if not across <= allowed:
            expected = "weights that moved along combinations of the examples"
            return outcome._replace(reason="rows", detail=f"of {name}: off by {across:.1e}", expected=expected)
    if not set(np.diff(answer["mistakes"], prepend=0).tolist()) <= {0, 1}:
        return outcome._replace(reason="mistakes", detail="they must be cumulative, one number a step")
    return outcome
