"""Replays a walk of fit_wsabie, and measures how much rounding may change its end.

The replay is the walk of the ground truth. If this would take too long, the replay uses gradients of its own, and some
of its steps must pass their certificate. Replays with other roundings show by how much a right answer may differ. If
rounding decides whether a class is a violator, the walk is doubtful, and the answer is not compared with it.
"""

from typing import NamedTuple

import numpy as np

from ... import contract
from ...ground_truth import wsabie as truth
from .. import certificates
from ._base import tolerance

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

    fit: contract.WsabieFit
    moved: list  # for each step the classes whose prototypes moved
    apart: dict  # the largest difference of a replay with other roundings, by the name of the array
    units: dict  # the largest row during the walk, by the name of the array
    doubtful: bool


def replay(arguments):
    """Returns the Replay of a walk, from three replays with different roundings."""
    X, W = arguments["X"], arguments.get("embedding_dim") or 1
    small = arguments["n_updates"] * W * X.shape[1] <= MOST_DIFFERENCES
    turns = list(walk(arguments, truth.differences if small else gradients))
    if not small:
        moves = [turn for turn in turns if turn.violator is not None]
        _certify(arguments, moves[:: max(1, len(moves) // CERTIFIED)])
    return _with_doubt(arguments, turns)


def is_sound(arguments):
    """True if an answer can be compared with the walk: rounding decides about no step, and errors stay small."""
    one = _with_doubt(arguments, list(walk(arguments, gradients)))
    return not one.doubtful and max(one.apart.values()) <= SOUND


def _with_doubt(arguments, turns):
    """Returns the Replay of these turns."""
    units = {name: max(size_of(getattr(turn.after, name)) for turn in turns) for name in ARRAYS}
    moved = [{turn.positive, turn.violator} if turn.violator is not None else set() for turn in turns]
    apart, doubtful = dict.fromkeys(ARRAYS, 0.0), is_doubtful(arguments, turns)
    for sign in (1, -1) if any(moved) and not doubtful else ():
        others = list(walk(arguments, rounded_otherwise(sign)))
        doubtful = doubtful or [_path(turn) for turn in turns] != [_path(turn) for turn in others]
        for name in ARRAYS:
            apart[name] = max(apart[name], error_of(others[-1].after, turns[-1].after, name, units))
    return Replay(turns[-1].after, moved, apart, units, doubtful)


def walk(arguments, gradients):
    """Yields the turns of the walk of the ground truth, with these gradients."""
    X, draws = contract.features(arguments["X"]), contract.Draws(arguments["draws"], 0)
    rest = (arguments.get(name) for name in ("embedding_dim", "n_classes"))
    start = arguments.get("start")
    return truth.walk(X, arguments["Y"], rule_of(arguments), arguments["n_updates"], *rest, draws, start, gradients)


def rule_of(arguments):
    """Returns the options of a walk."""
    return contract.wsabie_rule(**{name: arguments.get(name, default) for name, default in RULE.items()})


def classes(arguments):
    """Returns the number of classes m that the arguments imply."""
    return contract.label_sets(arguments["Y"], len(arguments["X"]), arguments.get("n_classes")).n_classes


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


def is_doubtful(arguments, turns):
    """True if rounding decides about a violator at some step, because a margin is missed by very little."""
    X, margin, start = np.asarray(arguments["X"], np.float64), rule_of(arguments).margin, turns[0].before
    for turn in turns:
        fit, x = turn.before, X[turn.example]
        if not turn.looked_at:
            continue
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


def _certify(arguments, moves):
    """Checks steps with the judge's own gradients by their certificate. Raises ArithmeticError if one fails."""
    rule = rule_of(arguments)
    for turn in moves:
        x = np.asarray(arguments["X"][turn.example], dtype=np.float64)
        step = {"step": rule.step, "step_size": rule.step_size, "max_norm": rule.max_norm}
        residual = certificates.wsabie_step(
            turn.after, turn.before, x, turn.positive, turn.violator, turn.weight, **step
        )
        if not residual <= tolerance(np.float64, turn.before.prototypes.size):
            raise ArithmeticError(f"a step of the replay has a certificate of {residual:.1e}")


def _path(turn):
    return turn.example, turn.positive, turn.looked_at, turn.violator


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
    return float(np.abs(got.astype(np.float64) - getattr(fit, name)).max() / (units[name] or 1.0))
