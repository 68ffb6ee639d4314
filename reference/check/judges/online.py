"""Judges squished columns, updates and passes over a stream by exact fractions, CVXPY, certificates and replays."""

from typing import NamedTuple

import numpy as np

from ... import contract
from ...ground_truth import enumeration
from ...ground_truth import passive_aggressive as programmes
from .. import certificates
from ._base import DIFFERS, Outcome, answer_dtype, described, form, tolerance
from .projections import LARGEST_ENUMERATED, LARGEST_PROGRAMME, WORST_TRUTH

LARGEST_EXACT = 100  # weights
FIELDS = ("weights", "averaged", "mistakes", "updates")
RULE = {"margin": 1.0, "variant": "pa", "aggressiveness": 1.0, "k": 1}  # the defaults, in the order of UpdateRule
ROUNDING = 32 * float(np.finfo(np.float64).eps)  # scores that differ by less than this, relative, count as equal


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
    return _verdict("multiclass_update", case.arguments, reply.answer, true_update, sum(A.shape), lambda B: _unit(A, B))


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


def _unit(*models):
    """Returns the largest norm of a row of these weights."""
    return max(float(np.linalg.norm(A.astype(np.float64), axis=1).max()) for A in models)


# --- a pass over a stream ------------------------------------------------------------------------------------------


class Replay(NamedTuple):
    """What a fit must return. Where rounding decides, `may_` gives the least and the most that it may count."""

    weights: np.ndarray
    averaged: np.ndarray
    mistakes: np.ndarray
    updates: int
    may_err: np.ndarray  # (steps, 2) bool
    may_update: tuple
    unit: float  # the largest norm of a row during the pass


def fit_passive_aggressive(case, reply):
    """Judge of fit_passive_aggressive: by a replay if the order is given, else by what holds for every order."""
    arguments, answer = case.arguments, reply.answer
    if wrong := _form(arguments, answer):
        return wrong
    return (_replayed if arguments.get("order") is not None else _conserved)(arguments, answer)


def replay(arguments):
    """Returns the Replay: one exact update after another, as in Crammer et al., rounded to float64 in between.

    Where rounding decides about a mistake or an update, both answers are accepted.
    """
    X, y, A, rule, orders = _stream(arguments)
    steps, may_err, may_update, unit = [], [], [], _unit(A)
    for i in np.concatenate(list(orders)):
        scores, x = A @ X[i], X[i]
        worst = np.sort(np.delete(scores, y[i]))[::-1][: rule.k]
        tie = ROUNDING * max(abs(worst[-1]), abs(scores[y[i]]))
        rounding = ROUNDING * (np.abs(worst).max() + abs(scores[y[i]]) + rule.margin)
        loss = (worst - scores[y[i]]).mean() + rule.margin if x @ x >= np.finfo(np.float64).tiny else 0.0
        may_err.append([worst[-1] - scores[y[i]] >= share * tie for share in (2.0, -1.0, -2.0)])
        may_update.append([loss > share * rounding for share in (2.0, 1.0, -2.0 if loss else 0.0)])
        A = updated(A, x, y[i], rule) if loss > rounding else A
        steps.append(A)
        unit = max(unit, _unit(A))
    least, updates, most = np.sum(may_update, axis=0).tolist()
    may_err = np.array(may_err)
    mistakes = np.cumsum(may_err[:, 1])
    return Replay(A, np.mean(steps, axis=0), mistakes, updates, may_err[:, ::2], (least, most), unit or 1.0)


def updated(A, x, y, rule):
    """Returns the exact update. For k = 1 a floating-point proposal is used if its certificate is 0."""
    if rule.k == 1:
        B = _proposed(A, x, y, rule)
        if certificates.multiclass_update(B, A, x, y, **rule._asdict()) <= tolerance(np.float64, 1):
            return B
    return enumeration.multiclass_update(A, x, y, **rule._asdict())


def _proposed(A, x, y, rule):
    """Returns the update for k = 1: it lowers the violations above a level, which depends on their number."""
    scores, norm, j = A @ x, x @ x, np.arange(1, len(A))
    c = (np.delete(scores, y) - scores[y] + rule.margin) / norm
    descending = np.sort(c)[::-1]
    bias = 1 + (1 / (2 * rule.aggressiveness) / norm if rule.variant == "pa2" else 0.0)
    levels = bias * np.cumsum(descending) / (1 + bias * j)
    if rule.variant == "pa1":
        levels = np.maximum(levels, (np.cumsum(descending) - rule.aggressiveness) / j)
    lowered = np.maximum(c - levels[max(np.count_nonzero(descending > levels), 1) - 1], 0.0)
    return A + np.outer(np.insert(-lowered, y, lowered.sum()), x)


def _stream(arguments):
    """Returns the examples, the labels, the starting weights, the update rule and the visiting orders."""
    start = (arguments.get(name) for name in ("n_classes", "weights"))
    X, y, A = contract.stream(arguments["X"], arguments["y"], *start)
    rule = contract.UpdateRule(*(arguments.get(name, default) for name, default in RULE.items()))
    orders = contract.passes(arguments.get("order"), len(y), arguments.get("epochs", 1), arguments.get("seed", 0))
    return X.astype(np.float64), y, A, rule, orders


def _form(arguments, answer):
    """Returns the Outcome of an answer that is not a PassiveAggressiveFit of the right shapes, or None."""
    if not isinstance(answer, dict) or not set(FIELDS) <= set(answer):
        return Outcome("wrong type", f"a fit should be a PassiveAggressiveFit, got {described(answer)}", got=answer)
    X, _, A, *_ = _stream(arguments)
    dtype, steps = answer_dtype(arguments["X"]), len(X) * arguments.get("epochs", 1)
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
    truth, asked = replay(arguments), [name for name in ("weights", "averaged") if answer[name] is not None]
    dtype = answer_dtype(arguments["X"])
    expected = {name: getattr(truth, name).astype(dtype) for name in asked}
    expected |= {"mistakes": truth.mistakes, "updates": truth.updates}
    # Each step is rounded in float64 (an update does not enlarge earlier errors), and the answer in its own dtype.
    allowed = tolerance(dtype, 1) + tolerance(np.float64, len(truth.mistakes) * sum(truth.weights.shape))
    errors = {name: float(np.abs(answer[name] - getattr(truth, name)).max() / truth.unit) for name in asked}
    outcome = Outcome("", "", max(errors.values()), None, expected, {name: answer[name] for name in expected})
    for name, error in errors.items():
        if not error <= allowed:
            return outcome._replace(reason=DIFFERS, detail=f"{name} by {error:.1e}, relative")
    erred = np.diff(answer["mistakes"], prepend=0)
    wrong = (erred < truth.may_err[:, 0]) | (erred > truth.may_err[:, 1])
    if wrong.any():
        detail = f"step {int(np.argmax(wrong))} counts {erred[wrong][0]} mistakes"
        return outcome._replace(reason="mistakes", detail=detail)
    if not truth.may_update[0] <= answer["updates"] <= truth.may_update[1]:
        return outcome._replace(reason="updates", detail=f"{truth.updates} steps change the weights")
    return outcome


def _conserved(arguments, answer):
    """Checks what holds in any order: an update moves a multiple of an example from some rows to another row."""
    X, _, A, *_ = _stream(arguments)
    asked = [name for name in ("weights", "averaged") if answer[name] is not None]
    outcome = Outcome("", "", None, None, None, {name: answer[name] for name in (*asked, "mistakes", "updates")})
    allowed = tolerance(answer["weights"].dtype, 1) + tolerance(np.float64, len(answer["mistakes"]) * sum(A.shape))
    directions = _row_space(X)
    for name in asked:
        moved, unit = answer[name] - A, _unit(A, answer[name]) or 1.0
        gained = np.abs(moved.sum(axis=0)).max() / unit / len(A) ** 0.5
        across = np.abs(moved - (moved @ directions.T) @ directions).max() / unit
        if not gained <= allowed:
            expected = {"sums of the columns": A.sum(axis=0)}
            return outcome._replace(reason="columns", detail=f"of {name}: off by {gained:.1e}", expected=expected)
        if not across <= allowed:
            expected = "weights that moved along combinations of the examples"
            return outcome._replace(reason="rows", detail=f"of {name}: off by {across:.1e}", expected=expected)
    if not set(np.diff(answer["mistakes"], prepend=0).tolist()) <= {0, 1}:
        return outcome._replace(reason="mistakes", detail="they must be cumulative, one number a step")
    return outcome


def _row_space(X):
    """Returns an orthonormal basis of the row space, one row a direction. All examples are scaled to length 1 first."""
    lengths = np.linalg.norm(X, axis=1)
    _, sizes, directions = np.linalg.svd(X[lengths > 0] / lengths[lengths > 0, None], full_matrices=False)
    return directions[sizes > 1e-10 * sizes.max(initial=0.0)]
