"""Judges walks of fit_wsabie by a replay.

If only a seed is given, implementations may draw different numbers. Then the judge checks what holds for all draws.
"""

import numpy as np

from ...ground_truth import wsabie as truth
from ...problems import checks
from .. import certificates
from ..judging.outcome import DIFFERS, Outcome, answer_dtype, described, form, tolerance
from ..replays import walks
from ..replays.walks import ARRAYS, classes, error_of, gradients, rule_of, walk

FIELDS = checks.WsabieFit._fields


# --- the walk ------------------------------------------------------------------------------------------------------


def fit_wsabie(case, reply):
    """Judge of fit_wsabie."""
    arguments, answer = case.arguments, reply.answer
    m, (_, d), e = classes(arguments), arguments["X"].shape, arguments.get("embedding_dim")
    kind = arguments.get("discriminant", "euclidean")
    wrong = fit_form(answer, answer_dtype(arguments["X"]), (m, e or d), e and (e, d), kind)
    if wrong := wrong or form(answer["last_violators"], (m,), np.dtype(np.int64), "last_violators"):
        return wrong
    if arguments.get("draws") is None:
        return _whatever_is_drawn(arguments, answer)
    return compared(walks.replay(arguments), answer, answer_dtype(arguments["X"]), _one_step(arguments, answer))


def true_walk(arguments):
    """Returns the fit of a walk as a dict. Raises ValueError if the arguments are wrong."""
    return truth.fit_wsabie(**{name: value for name, value in arguments.items() if name != "every"})._asdict()


def _one_step(arguments, answer):
    """Returns the certificate of a walk of one step, or None for longer walks."""
    if arguments["n_updates"] > 1:
        return None
    turn, rule = next(walk(arguments, gradients)), rule_of(arguments)
    if turn.violator is None:
        return None
    after = checks.WsabieFit(**{name: answer[name] for name in FIELDS})
    x = np.asarray(arguments["X"][turn.example], dtype=np.float64)
    step = {"step": rule.step, "step_size": rule.step_size, "max_norm": rule.max_norm}
    return certificates.wsabie_step(after, turn.before, x, turn.positive, turn.violator, turn.weight, **step)


def compared(replay, answer, dtype, certificate=None):
    """Returns the Outcome of an answer compared with its replay: parameters, last violators, and counts."""
    shown = [name for name in (*ARRAYS, "last_violators", "updates") if getattr(replay.fit, name) is not None]
    expected = {name: getattr(replay.fit, name) for name in shown}
    for name in ("prototypes", "embedding"):
        if name in expected:
            expected[name] = expected[name].astype(dtype)
    outcome = Outcome("", "", None, certificate, expected, {name: answer[name] for name in shown})
    if replay.doubtful:
        return outcome._replace(certificate=None)
    worst = 10 * max(replay.apart.values())
    errors = {name: error_of(answer, replay.fit, name, replay.units) for name in shown if name in ARRAYS}
    outcome = outcome._replace(error=max(errors.values()))
    for name, error in errors.items():
        if not error <= walks.allowed(replay, name, dtype):
            detail = f"{name} by {error:.1e}, relative{_place(replay, answer, name)}"
            return outcome._replace(reason=DIFFERS, detail=detail)
    if "last_violators" in shown and answer["last_violators"].tolist() != replay.fit.last_violators.tolist():
        g = int(np.argmax(answer["last_violators"] != replay.fit.last_violators))
        remembered, got = replay.fit.last_violators[g], answer["last_violators"][g]
        detail = f"that of class {g} is {remembered if remembered >= 0 else 'none, -1'}, not {got}"
        return outcome._replace(reason="last violators", detail=detail)
    for name in ("updates", "steps"):
        if answer[name] != getattr(replay.fit, name):
            return outcome._replace(reason=name, detail=f"they are {getattr(replay.fit, name)}, not {answer[name]}")
    if certificate is not None and not certificate <= tolerance(dtype, replay.fit.prototypes.size) + worst:
        return outcome._replace(reason="certificate", detail=f"the step is off its gradient by {certificate:.1e}")
    return outcome


def _place(replay, answer, name):
    """Returns text on the row with the largest error and the first step that moves it. No earlier step can be wrong."""
    row, of = None, ""
    if name.startswith("prototype"):
        apart = np.abs(answer[name] - getattr(replay.fit, name)).reshape(len(replay.fit.prototypes), -1).max(axis=1)
        row, of = int(np.argmax(apart)), f", most of all class {int(np.argmax(apart))}"
    steps = [step for step, moved in enumerate(replay.moved) if moved and (row is None or row in moved)]
    if not steps:
        return f"{of}; it should not move"
    if len(replay.moved) == 1:
        return of
    return f"{of}; step {steps[0] + 1} of {len(replay.moved)} is the first that should move it"


def _whatever_is_drawn(arguments, answer):
    """Checks what holds for all draws: the numbers of steps and updates, valid classes, and the ball."""
    shown = {name: answer[name] for name in FIELDS[:-1]}
    reason, _, detail = walks.impossible(arguments, answer).partition(": ")
    return Outcome(reason, detail, None, None, None, shown)


def fit_form(answer, dtype, shape, of_W, discriminant, walked=True):
    """Returns the Outcome of an answer that is not a WsabieFit of these shapes, or None."""
    if not isinstance(answer, dict) or not set(FIELDS) <= set(answer):
        return Outcome("wrong type", f"a fit should be a WsabieFit, got {described(answer)}", got=answer)
    wrong = form(answer["prototypes"], shape, dtype, "prototypes")
    if of_W:
        wrong = wrong or form(answer["embedding"], of_W, dtype, "embedding")
    elif answer["embedding"] is not None:
        wrong = wrong or Outcome("wrong type", "embedding should be None if there is none", got=answer)
    if not isinstance(answer["discriminant"], str) or answer["discriminant"] != discriminant:
        wrong = wrong or Outcome("wrong discriminant", f"it should be {discriminant!r}", got=answer)
    if wrong or not walked:
        return wrong
    wrong = form(answer["prototype_sums"], shape[:1], np.dtype(np.float64), "prototype_sums")
    if of_W:
        wrong = wrong or form(answer["embedding_sums"], of_W[:1], np.dtype(np.float64), "embedding_sums")
    for name in ("steps", "updates"):
        if not isinstance(answer[name], (int, np.integer)) or isinstance(answer[name], bool):
            wrong = wrong or Outcome("wrong type", f"{name} should be an integer", got=answer)
    return wrong or _end_of_history(answer, by_step=walked != "several")


def _end_of_history(answer, by_step):
    """Returns the Outcome of a wrong history, or None. Its last record is that of the fit if it records steps."""
    history = answer["history"]
    if not isinstance(history, dict) or not {"steps", "updates", "score", "seconds"} <= set(history):
        return Outcome("history", "it should be a record array: steps, updates, score, seconds", got=answer)
    if any(not isinstance(column, np.ndarray) or column.ndim != 1 or not column.size for column in history.values()):
        return Outcome("history", "it should have at least one record", got=answer)
    for name in ("steps", "updates") if by_step else ():
        if history[name].dtype.kind not in "iu" or history[name][-1] != answer[name]:
            return Outcome("history", f"its last {name} should be {answer[name]}", got=history[name])
    return None
