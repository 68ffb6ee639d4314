"""Conditions of the Wsabie family: definitions of scores and ensembles, and equality with the replay of a walk."""

import numpy as np

from ...problems import checks
from ..judging.answers import Malformed, needed
from ..judging.condition import DIFFERS, Condition
from ..judging.outcome import remembered
from ..proofs.rounding import tolerance
from . import bounds, replay
from .replay import ARRAYS

WALK = "difference from a replay of the walk, relative to the largest row on the way"
EQUAL = "A walk is random and need not reach an optimum: this proves equality with the algorithm for these draws."
STOPPED = " That it stopped at the best step for the callback is not proved."
ANY_DRAWS = (
    "{why} So only what holds for all draws was checked: the numbers of steps and updates, the classes and the ball of "
    "max_norm."
)
OTHER_DRAWS = "The answer is not the walk that the seed draws here, and no draws are given."
DOUBT = "Rounding decides about a step of this walk, so that several walks are right."
INTEGERS = ("last_violators", "skipped", "updates", "steps")
RECORDED = {"steps", "updates", "score", "seconds"}


def prototype_scores(problem, scores):
    """The scores are those of the definition."""
    apart = bounds.prototype_scores(scores, problem.X, problem.fit)
    allowed = tolerance(scores.dtype, 1) + tolerance(np.float64, problem.X.shape[1] + problem.fit.prototypes.shape[1])
    return [Condition(apart, allowed, "difference from the expanded square, relative to (prototype + |W| |x|)^2")]


def concatenate_fits(problem, prototypes, embedding, **claims):
    """The scores are the sums of those of the fits, and the arrays are equal to theirs."""
    fits = problem.fits
    apart = bounds.concatenate_fits(prototypes, embedding, fits)
    moved = np.abs(prototypes - np.hstack([fit.prototypes for fit in fits])).max()
    moved = max(moved, np.abs(embedding - np.vstack([fit.embedding for fit in fits])).max())
    allowed = tolerance(prototypes.dtype, embedding.size)
    return [
        Condition(apart, allowed, "difference from the sum of the scores, relative"),
        Condition(float(moved), 0.0, "difference from the arrays side by side; nothing is computed", reason=DIFFERS),
        *named(claims, fits[0].discriminant),
    ]


def fit_wsabie(problem, **parts):
    """The fit is the end of the walk; or, if only a seed is given, it may be the end of another one."""
    given, note = vars(problem), EQUAL
    if problem.patience is not None:
        given, note = {**given, "n_updates": _steps_made(problem, parts)}, EQUAL + STOPPED
    replayed = remembered("replay of fit_wsabie", given, lambda: replay.replay(given))
    wrong = replay.impossible(given, parts)
    compared = walked(parts, replayed, wrong, problem.draws is not None, note)
    claimed = [*named(parts, problem.discriminant), *recorded(parts)]
    return [*claimed, *compared, *_one_step(given, replayed, parts)]


# --- what a fit claims ---------------------------------------------------------------------------------------------


def named(parts, right):
    """Returns the condition that the discriminant, if it is known, is the right one."""
    if "discriminant" not in parts:
        return []
    discriminant = parts["discriminant"]
    is_right = isinstance(discriminant, str) and discriminant == right
    what, detail = f"the discriminant is {right!r}", f"it should be {right!r}"
    return [Condition(0.0 if is_right else np.inf, 0.0, what, reason="wrong discriminant", detail=detail)]


def recorded(parts, count=None):
    """Returns the condition of the history, if there is one: it has so many records, or ends with this fit."""
    if "history" not in parts:
        return []
    wrong = _wrong_history(count=count, **parts)
    return [Condition(float(bool(wrong)), 0.0, "history", reason="history", detail=wrong)]


def _wrong_history(history, steps, updates, count, **others):
    if not isinstance(history, dict) or not set(history) >= RECORDED:
        return "it should be a record array: steps, updates, score, seconds"
    if any(not isinstance(column, np.ndarray) or column.ndim != 1 or not column.size for column in history.values()):
        return "it should have at least one record"
    if count is not None:
        found = len(history["score"])
        return "" if found == count else f"it should have {count} records, one for each number of negatives"
    for name, right in (("steps", steps), ("updates", updates)):
        if history[name].dtype.kind not in "iu" or history[name][-1] != right:
            return f"its last {name} should be {right}"
    return ""


# --- walks ---------------------------------------------------------------------------------------------------------


def walked(parts, replayed, wrong, is_given, note=EQUAL):
    """Returns the conditions of a walk: equality with its replay, or what holds for all draws."""
    conditions = [] if replayed.doubtful else _equal(parts, replayed, note)
    if conditions and (is_given or all(one.is_met for one in conditions)):
        return conditions
    note = ANY_DRAWS.format(why=DOUBT if replayed.doubtful else OTHER_DRAWS)
    reason, _, detail = wrong.partition(": ")
    what = wrong or "what no draw can change"
    return [Condition(np.inf if wrong else 0.0, 0.0, what, note, reason or "certificate", detail)]


def _equal(parts, replayed, note):
    """Returns the conditions that arrays, memory and counts are those of the replay."""
    right = replayed.fit
    known = [name for name in (*ARRAYS, *INTEGERS) if getattr(right, name) is not None]
    conditions, expected = [], {name: getattr(right, name) for name in known}
    dtypes = {name: parts[name].dtype for name in ("prototypes", "embedding") if name in known and name in parts}
    expected |= {name: expected[name].astype(dtype) for name, dtype in dtypes.items()}
    for name in (name for name in known if name in parts):
        if name in ARRAYS:
            error = replay.error_of(parts, right, name, replayed.units)
            allowed = replay.allowed(replayed, name, parts[name].dtype)
            detail = f"{name} by {error:.1e}, relative{_place(replayed, parts, name)}"
            conditions.append(Condition(error, allowed, f"{name}: {WALK}", note, DIFFERS, detail, expected))
            continue
        apart = np.abs(np.subtract(parts[name], expected[name], dtype=np.float64)).max()
        detail = _mistaken(name, expected[name], parts[name])
        what, reason = f"{name}: difference from the replay of the walk", name.replace("_", " ")
        conditions.append(Condition(float(apart), 0.0, what, reason=reason, detail=detail, expected=expected))
    return conditions


def _mistaken(name, right, got):
    """Returns text on a count, or on the first class with a wrong entry, that is not that of the replay."""
    if name in ("updates", "steps"):
        return f"they are {right}, not {got}"
    g = int(np.argmax(got != right))
    if name == "skipped":
        return f"class {g} has {right[g]} skipped examples in a row, not {got[g]}"
    return f"that of class {g} is {right[g] if right[g] >= 0 else 'none, -1'}, not {got[g]}"


def _place(replayed, parts, name):
    """Returns text on the row with the largest error and the first step that moves it. No earlier step can be wrong."""
    row, of = None, ""
    if name.startswith("prototype"):
        apart = np.abs(parts[name] - getattr(replayed.fit, name)).reshape(len(replayed.fit.prototypes), -1).max(axis=1)
        row, of = int(np.argmax(apart)), f", most of all class {int(np.argmax(apart))}"
    steps = [step for step, moved in enumerate(replayed.moved) if moved and (row is None or row in moved)]
    if not steps:
        return f"{of}; it should not move"
    if len(replayed.moved) == 1:
        return of
    return f"{of}; step {steps[0] + 1} of {len(replayed.moved)} is the first that should move it"


def _steps_made(problem, parts):
    """Returns the number of steps of a walk that was stopped early, from its fit."""
    needed(parts, "steps")
    steps = int(parts["steps"]) - (problem.start.steps if problem.start is not None else 0)
    if not 1 <= steps <= problem.n_updates:
        raise Malformed(f"steps should be at most those that were asked for, got {steps} of {problem.n_updates}")
    return steps


def _one_step(given, replayed, parts):
    """Returns the condition that a walk of one step went down the gradient, if draws and the whole fit are known."""
    if given["n_updates"] > 1 or given["draws"] is None or replayed.doubtful or "history" not in parts:
        return []
    turn, after = next(replay.walk(given, replay.gradients)), checks.WsabieFit(**{name: parts[name] for name in ARRAYS})
    if turn.violator is None:
        return []
    apart = replay.step_error(given, turn, after)
    allowed = tolerance(after.prototypes.dtype, after.prototypes.size) + 10 * max(replayed.apart.values())
    return [Condition(apart, allowed, "error of the step", detail=f"the step is off its gradient by {apart:.1e}")]
