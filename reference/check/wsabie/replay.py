"""Replays a walk of fit_wsabie, and measures how much rounding may change its end.

The replay is the walk of the ground truth. If this would take too long, the replay uses gradients of its own, and some
of its steps must pass their certificate. Replays with other roundings show by how much a right answer may differ. If
rounding decides whether a class is a violator, the walk is doubtful, and the answer is not compared with it.
"""

from typing import NamedTuple

import numpy as np

from ...ground_truth import wsabie as truth
from ...problems import checks
from ..proofs.rounding import relative, tolerance
from . import bounds

EPS = float(np.finfo(np.float64).eps)
MOST_DIFFERENCES = 3000  # entries of W times steps, up to which the gradients of the ground truth are used
CERTIFIED = 5  # steps that must pass their certificate if the replay uses its own gradients
SOUND = 1e-12  # the most by which other roundings may change the end of a walk in the catalogue, relative
DOUBT = 1e-12  # rounding decides about a margin that is missed by less than this, relative to the scores
RULE = {
    "discriminant": "euclidean", "sampling": "warp", "weighting": "uniform", "step": "adagrad", "last_violators": 8,
    "margin": 1.0, "step_size": 0.1, "max_norm": None,
}  # fmt: skip
ARRAYS = ("prototypes", "embedding", "prototype_sums", "embedding_sums")


class Replay(NamedTuple):
    """What a walk must return, and how much an answer may differ from it."""

    fit: checks.WsabieFit
    moved: list  # for each step the classes whose prototypes moved
    apart: dict  # the largest difference of a replay with other roundings, by the name of the array
    units: dict  # the largest row during the walk, by the name of the array
    doubtful: bool


def replay(arguments):
    """Returns the Replay of a walk, from three replays with different roundings."""
    X, W = arguments["X"], arguments.get("embedding_dim") or 1
    small = arguments["n_updates"] * W * X.shape[1] <= MOST_DIFFERENCES
    return _together(arguments, truth.differences, 0) if small else _together(arguments, gradients, CERTIFIED)


def is_sound(arguments):
    """True if an answer can be compared with the walk: rounding decides about no step, and errors stay small."""
    one = _together(arguments, gradients, 0)
    return not one.doubtful and max(one.apart.values()) <= SOUND


def _together(arguments, slopes, to_certify):
    """Returns the Replay of a walk with these slopes, of which so many steps must pass their certificate.

    Two walks with other roundings run beside it, step by step, so that no more than three fits are in memory.
    """
    others = [walk(arguments, rounded_otherwise(sign)) for sign in (1, -1)]
    units, moved, ends, doubtful, first = dict.fromkeys(ARRAYS, 0.0), [], [], False, None
    for step, turn in enumerate(walk(arguments, slopes)):
        first, moves = first or turn.before, turn.violator is not None
        if moves and to_certify and step * CERTIFIED >= arguments["n_updates"] * (CERTIFIED - to_certify):
            _certify(arguments, turn)
            to_certify -= 1
        moved.append({turn.positive, turn.violator} if moves else set())
        units = {name: max(size, size_of(getattr(turn.after, name))) for name, size in units.items()}
        if not doubtful:
            ends = [next(other) for other in others]
            doubtful = is_doubtful(arguments, turn, first) or any(_path(turn) != _path(end) for end in ends)
    apart = {name: max(error_of(end.after, turn.after, name, units) for end in ends) for name in ARRAYS}
    return Replay(turn.after, moved, dict.fromkeys(ARRAYS, 0.0) if doubtful else apart, units, doubtful)


def allowed(replay, name, dtype):
    """Returns the error of one array that rounding explains, in its unit: of the answer, of the steps, of the walk."""
    rounding = 0.0 if name.endswith("sums") else tolerance(dtype, 1)
    return rounding + tolerance(np.float64, len(replay.moved)) + 10 * replay.apart[name]


def walk(arguments, gradients):
    """Yields the turns of the walk of the ground truth, with these gradients."""
    X, draws = checks.features(arguments["X"]), checks.Draws(arguments.get("draws"), arguments.get("seed", 0))
    rest = (arguments.get(name) for name in ("embedding_dim", "n_classes"))
    start = arguments.get("start")
    return truth.walk(X, arguments["Y"], rule_of(arguments), arguments["n_updates"], *rest, draws, start, gradients)


def used(arguments):
    """Returns how many numbers a walk draws. Raises ValueError if they are not enough, or a step is too large."""
    *_, last = walk(arguments, gradients)
    return last.used


def rule_of(arguments):
    """Returns the options of a walk."""
    return checks.wsabie_rule(**{name: arguments.get(name, default) for name, default in RULE.items()})


def classes(arguments):
    """Returns the number of classes m that the arguments imply."""
    return checks.label_sets(arguments["Y"], arguments["X"].shape[0], arguments.get("n_classes")).n_classes


def gradients(fit, x, positive, violator, weight):
    """Returns the gradients of the sampled loss in the prototypes and in W, by their formulas."""
    b, W = fit.prototypes, fit.embedding
    z, in_prototypes = x if W is None else W @ x, np.zeros_like(b)
    if fit.discriminant == "linear":
        in_prototypes[positive], in_prototypes[violator] = -weight * z, weight * z
        between = weight * (b[violator] - b[positive])
    else:
        in_prototypes[positive], in_prototypes[violator] = (
            2 * weight * (b[positive] - z),
            2 * weight * (z - b[violator]),
        )
        between = 2 * weight * (b[violator] - b[positive])
    return in_prototypes, None if W is None else np.outer(between, x)


def rounded_otherwise(sign):
    """Returns gradients with a few more roundings. Numbers of few digits are computed without rounding."""
    rng = np.random.default_rng(0)

    def noisy(fit, x, positive, violator, weight):
        in_prototypes, in_W = gradients(fit, x, positive, violator, weight)
        if few_digits(weight, *_entering(fit, x, [positive, violator])):
            return in_prototypes, in_W
        b, W = np.abs(fit.prototypes[[positive, violator]]), fit.embedding
        reach = np.abs(x) if W is None else np.abs(W) @ np.abs(x)
        noise = 8 * sign * weight * EPS * rng.choice([-1, 1], size=b.shape) * (b + reach)
        in_prototypes[[positive, violator]] += noise
        if W is not None:
            noise = 8 * sign * weight * EPS * rng.choice([-1, 1], size=len(W)) * b.sum(axis=0)
            in_W = in_W + np.outer(noise, x)
        return in_prototypes, in_W

    return noisy


def is_doubtful(arguments, turn, start):
    """True if rounding decides about a violator at this step, because a margin is missed by very little."""
    if not turn.looked_at:
        return False
    margin, fit, x = rule_of(arguments).margin, turn.before, checks.row_of(arguments["X"])(turn.example)
    z = x if fit.embedding is None else fit.embedding @ x
    reach = np.linalg.norm(x) * (1.0 if fit.embedding is None else np.linalg.norm(fit.embedding))
    for g in turn.looked_at:
        b = fit.prototypes[[turn.positive, g]]
        first, second = (truth._terms(row, z, fit.discriminant).sum() for row in b)
        longest = np.linalg.norm(b, axis=1).max()
        scale = longest * reach if fit.discriminant == "linear" else (longest + reach) ** 2
        if abs(margin - first + second) <= DOUBT * (margin + scale):
            if not _decided(fit, start, x, turn.positive, g, margin):
                return True
    return False


def _decided(fit, start, x, positive, g, margin):
    """True if all implementations agree on scores this close: nothing is rounded, or the same numbers are."""
    pair = [positive, g]
    same = (fit.prototypes[positive] == fit.prototypes[g]).all()
    untouched = (fit.prototypes[pair] == start.prototypes[pair]).all()
    flat = fit.discriminant == "linear" and not (x.any() and fit.prototypes[pair].any())
    return (same and untouched) or flat or few_digits(margin, *_entering(fit, x, pair))


def few_digits(*numbers):
    """True if all numbers are multiples of 1/8 below 64, so that their scores are exact."""
    return all(
        (np.abs(part) < 64).all() and (8 * part == np.round(8 * part)).all() for part in map(np.asarray, numbers)
    )


def _entering(fit, x, pair):
    """Returns all numbers that enter the scores of two classes."""
    return fit.prototypes[pair], x, 0.0 if fit.embedding is None else fit.embedding


def _certify(arguments, turn):
    """Checks a step with the replay's own gradients by its certificate. Raises ArithmeticError if it fails."""
    residual = step_error(arguments, turn, turn.after)
    if not residual <= tolerance(np.float64, turn.before.prototypes.size):
        raise ArithmeticError(f"a step of the replay has a certificate of {residual:.1e}")


def step_error(arguments, turn, after):
    """Returns the certificate of a fit as the end of this turn."""
    rule, x = rule_of(arguments), checks.row_of(arguments["X"])(turn.example)
    step = {"step": rule.step, "step_size": rule.step_size, "max_norm": rule.max_norm}
    return bounds.wsabie_step(after, turn.before, x, turn.positive, turn.violator, turn.weight, **step)


def _path(turn):
    return turn.example, turn.positive, turn.looked_at, turn.violator


def impossible(arguments, answer):
    """Returns "reason: explanation" if no draws lead to an answer, a dict of fields, or an empty text."""
    rule, m, n_updates = rule_of(arguments), classes(arguments), arguments["n_updates"]
    before = arguments.get("start") or checks.WsabieFit(None)
    steps, updates = answer.get("steps", n_updates) - before.steps, answer.get("updates", 0) - before.updates
    if steps != n_updates or not 0 <= updates <= n_updates:
        return f"steps: {n_updates} were asked for; there can be no more updates than steps"
    last = answer.get("last_violators", np.array([checks.NONE]))
    if not ((last >= checks.NONE) & (last < m) & (last != np.arange(len(last)))).all():
        return "last violators: each should be another class, or -1 for none"
    for name in ("prototypes", "embedding"):
        if size_of(answer.get(name)) > rule.max_norm * (1 + tolerance(answer["prototypes"].dtype, 1)):
            return f"max_norm: {name} are outside the ball"
    if (answer.get("prototype_sums", np.zeros(1)) < 0).any():
        return "updates: sums of squares are negative"
    return "" if before.prototypes is not None else _impossible_from_zero(answer, rule, n_updates)


def _impossible_from_zero(answer, rule, n_updates):
    """Returns the same for a walk that starts with prototypes of 0 and an embedding of signs."""
    W, moved = answer.get("embedding"), answer["prototypes"].any(axis=1)
    updates = answer.get("updates", n_updates)
    if W is not None and n_updates == 1 and rule.max_norm == np.inf and (np.abs(W) != 1).any():
        # All prototypes start at 0, so the first step has no slope in W.
        return "differs from the ground truth: W should hold signs only after one step"
    if moved.sum() > 2 * updates:
        return f"updates: {moved.sum()} prototypes moved in {updates} updates"
    return ""


def size_of(array):
    """Returns the largest norm of a row of a matrix, or the largest number of a vector."""
    if array is None:
        return 0.0
    return float(np.linalg.norm(array, axis=1).max() if array.ndim == 2 else np.abs(array).max())


def error_of(answer, fit, name, units):
    """Returns the largest error of one array of an answer, in its unit, or 0 if the answer has no such array."""
    got = answer[name] if isinstance(answer, dict) else getattr(answer, name)
    if got is None:
        return 0.0
    return relative(np.abs(got.astype(np.float64) - getattr(fit, name)).max(), units[name])
