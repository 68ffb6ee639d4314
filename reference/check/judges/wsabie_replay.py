"""A walk of the Wsabie family once more, and how much of a difference from it is nobody's fault.

It is the ground truth's walk, or where that would take too long one with gradients of this module's own, some of whose
steps have to pass their certificate. Replays that round otherwise tell how much an answer may differ. A walk in which
rounding decides about a violator is doubtful: there is nothing to compare with.
"""

from typing import NamedTuple

import numpy as np

from ... import contract
from ...ground_truth import wsabie as truth
from .. import certificates
from ._base import tolerance

EPS = float(np.finfo(np.float64).eps)
MOST_DIFFERENCES = 3000  # entries of W times steps, for which the ground truth is asked
CERTIFIED = 5  # steps of a replay with gradients of its own
SOUND = 1e-12  # how far apart two walks may end that only round otherwise, relative
DOUBT = 1e-12  # a margin missed by less than that, relative to the scores, is missed by rounding
RULE = {
    "discriminant": "euclidean", "sampling": "warp", "weighting": "uniform", "step": "adagrad", "last_violators": 8,
    "margin": 1.0, "step_size": 0.1, "max_norm": None,
}  # fmt: skip
ARRAYS = ("prototypes", "embedding", "prototype_sums", "embedding_sums")


class Replay(NamedTuple):
    """What a walk has to return, and how far off it may be."""

    fit: contract.WsabieFit
    moved: list  # for each step the classes whose prototypes moved
    apart: dict  # how far a replay that rounds otherwise is off, by the name of the array
    units: dict  # the largest row on the way
    doubtful: bool


def replay(arguments):
    """The walk once more, and once more with other roundings."""
    X, W = arguments["X"], arguments.get("embedding_dim") or 1
    small = arguments["n_updates"] * W * X.shape[1] <= MOST_DIFFERENCES
    turns = list(walk(arguments, truth.differences if small else gradients))
    if not small:
        moves = [turn for turn in turns if turn.violator is not None]
        _certify(arguments, moves[:: max(1, len(moves) // CERTIFIED)])
    return _with_doubt(arguments, turns)


def is_sound(arguments):
    """Whether a walk is worth comparing with: rounding decides about nothing in it, and does not grow much."""
    one = _with_doubt(arguments, list(walk(arguments, gradients)))
    return not one.doubtful and max(one.apart.values()) <= SOUND


def _with_doubt(arguments, turns):
    """The Replay that these turns are."""
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
    """The turns of the ground truth's walk, with these gradients."""
    X, draws = contract.features(arguments["X"]), contract.Draws(arguments["draws"], 0)
    rest = (arguments.get(name) for name in ("embedding_dim", "n_classes"))
    start = arguments.get("start")
    return truth.walk(X, arguments["Y"], rule_of(arguments), arguments["n_updates"], *rest, draws, start, gradients)


def rule_of(arguments):
    """The options of a walk."""
    return contract.wsabie_rule(**{name: arguments.get(name, default) for name, default in RULE.items()})


def classes(arguments):
    """m, as the arguments say it."""
    return contract.label_sets(arguments["Y"], len(arguments["X"]), arguments.get("n_classes")).n_classes


def gradients(fit, x, positive, violator, weight):
    """Of the sampled loss, by their formulas."""
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
    """Gradients with a few roundings more; numbers of few digits are not rounded at all."""
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
    """Whether rounding decides about a violator somewhere: a margin is missed by next to nothing."""
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
    """Whether scores this close are equal, or apart, for everyone: no number is rounded, or the same ones are."""
    pair = [positive, g]
    same = (fit.prototypes[positive] == fit.prototypes[g]).all()
    untouched = (fit.prototypes[pair] == start.prototypes[pair]).all()
    flat = fit.discriminant == "linear" and not (x.any() and fit.prototypes[pair].any())
    return (same and untouched) or flat or few_digits(margin, *_entering(fit, x, pair))


def few_digits(*numbers):
    """Whether all of these are multiples of 1/8 below 64, so that scores of them are exact."""
    return all(
        (np.abs(part) < 64).all() and (8 * part == np.round(8 * part)).all() for part in map(np.asarray, numbers)
    )


def _entering(fit, x, pair):
    """All that enters the scores of two classes."""
    return fit.prototypes[pair], x, 0.0 if fit.embedding is None else fit.embedding


def _certify(arguments, moves):
    """The judge's own gradients have to pass the certificate, too."""
    rule = rule_of(arguments)
    for turn in moves:
        x = np.asarray(arguments["X"][turn.example], dtype=np.float64)
        step = {"step": rule.step, "step_size": rule.step_size, "max_norm": rule.max_norm}
        residual = certificates.wsabie_step(
            turn.after, turn.before, x, turn.positive, turn.violator, turn.weight, **step
        )
        if not residual <= tolerance(np.float64, turn.before.prototypes.size):
            raise ArithmeticError(f"a step of the replay is off by {residual:.1e}")


def _path(turn):
    return turn.example, turn.positive, turn.looked_at, turn.violator


def size_of(array):
    """The longest row, or the largest number."""
    if array is None:
        return 0.0
    return float(np.linalg.norm(array, axis=1).max() if array.ndim == 2 else np.abs(array).max())


def error_of(answer, fit, name, units):
    """The largest error of one array of an answer, in its unit; 0 for an array that there is not."""
    got = answer[name] if isinstance(answer, dict) else getattr(answer, name)
    if got is None:
        return 0.0
    return float(np.abs(got.astype(np.float64) - getattr(fit, name)).max() / (units[name] or 1.0))
