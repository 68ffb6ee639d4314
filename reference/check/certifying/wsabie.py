"""The Wsabie family: definitions of scores, means and losses, and replays of walks."""

import numpy as np

from ...problems import checks
from ..certificates import wsabie as certificates
from ..judging.rounding import tolerance
from ..replays import learners, walks
from ._base import Condition, Malformed, integers, needed, numbers, parts_of

WALK = "difference from a replay of the walk, relative to the largest row on the way"
EQUAL = "A walk is random and need not reach an optimum: this proves equality with the algorithm for these draws."
STOPPED = " That it stopped at the best step for the callback is not proved."
ANY_DRAWS = (
    "{why} So only what holds for all draws was checked: the numbers of steps and updates, the classes and the ball of "
    "max_norm."
)
OTHER_DRAWS = "The answer is not the walk that the seed draws here, and no draws are given."
DOUBT = "Rounding decides about a step of this walk, so that several walks are right."
ARRAYS = ("prototypes", "embedding", "prototype_sums", "embedding_sums")


# --- scores, ensembles, means --------------------------------------------------------------------------------------


def prototype_scores(answer, X, fit):
    """`answer` is the scores (n, m), compared with those of the definition."""
    (m, e), n = fit.prototypes.shape, X.shape[0]
    scores = numbers(answer, (n, m), "the scores")
    apart = certificates.prototype_scores(scores, X, fit)
    allowed = tolerance(scores.dtype, 1) + tolerance(np.float64, X.shape[1] + e)
    return [Condition(apart, allowed, "difference from the expanded square, relative to (prototype + |W| |x|)^2")]


def concatenate_fits(answer, fits):
    """`answer` is a fit, a dict, or a pair (prototypes, embedding)."""
    parts = parts_of(answer, "prototypes", "embedding")
    needed(parts, "prototypes", "embedding")
    rows, e = len(fits[0].prototypes), sum(len(fit.embedding) for fit in fits)
    prototypes = numbers(parts["prototypes"], (rows, e), "prototypes")
    embedding = numbers(parts["embedding"], (e, fits[0].embedding.shape[1]), "embedding")
    apart = certificates.concatenate_fits(checks.WsabieFit(prototypes, embedding), fits)
    moved = np.abs(prototypes - np.hstack([fit.prototypes for fit in fits])).max()
    moved = max(moved, np.abs(embedding - np.vstack([fit.embedding for fit in fits])).max())
    same = parts.get("discriminant", fits[0].discriminant) == fits[0].discriminant
    return [
        Condition(
            apart, tolerance(prototypes.dtype, embedding.size), "difference from the sum of the scores, relative"
        ),
        Condition(float(moved), 0.0, "difference from the arrays side by side; nothing is computed"),
        Condition(0.0 if same else np.inf, 0.0, "the discriminant is that of the fits"),
    ]


def fit_nearest_means(answer, X, Y, n_classes, sample_weight):
    """`answer` is a fit, a dict, or the prototypes (m, d) alone."""
    parts, m = parts_of(answer, "prototypes"), checks.label_sets(Y, X.shape[0], n_classes).n_classes
    needed(parts, "prototypes")
    means = numbers(parts["prototypes"], (m, X.shape[1]), "prototypes")
    slope = certificates.fit_nearest_means(checks.WsabieFit(means), X, Y, sample_weight=sample_weight)
    allowed = tolerance(means.dtype, 1) + tolerance(np.float64, X.shape[0])
    return [
        Condition(slope, allowed, "slope of the squared distances, relative to their weight and the largest example")
    ]


# --- losses --------------------------------------------------------------------------------------------------------


def class_confusion_loss(answer, predicted, y):
    """`answer` is a number, compared with the sum over the confusion matrix."""
    answer = numbers(answer, (), "the loss")
    apart = certificates.class_confusion_loss(float(answer), predicted, y)
    what = "difference from the sum over the confusion matrix"
    return [Condition(apart, tolerance(answer.dtype, len(y)), what)]


def pairwise_loss(answer, scores, Y, margin):
    """`answer` is a number, compared with the mean hinge of all pairs."""
    answer = numbers(answer, (), "the loss")
    apart = certificates.pairwise_loss(float(answer), scores, Y, margin=margin)
    what = "difference from the mean hinge of all pairs, relative to the margin and the spread of the scores"
    return [Condition(apart, tolerance(answer.dtype, scores.size), what)]


def warp_loss(answer, scores, Y, **options):
    """`answer` is a number, compared with the sum over the violators."""
    answer = numbers(answer, (), "the loss")
    apart = certificates.warp_loss(float(answer), scores, Y, **options)
    what = "difference from the sum over the violators, relative to the largest possible loss"
    note = "Where rounding decides whether a margin is missed, every loss between both decisions counts as right."
    return [Condition(apart, tolerance(answer.dtype, scores.size), what, note)]


# --- walks ---------------------------------------------------------------------------------------------------------


def fit_wsabie(answer, **given):
    """`answer` is a fit, a dict, or a pair (prototypes, embedding)."""
    parts = parts_of(answer, "prototypes", "embedding") if given["embedding_dim"] else parts_of(answer, "prototypes")
    d, e = given["X"].shape[1], given["embedding_dim"]
    shapes = {"prototypes": (walks.classes(given), e or d), "embedding": e and (e, d)}
    parts, note = _checked(parts, shapes), EQUAL
    if given["patience"] is not None:
        given, note = {**given, "n_updates": _steps_made(parts, given)}, EQUAL + STOPPED
    wrong = walks.impossible(given, parts)
    return _compared(parts, walks.replay(given), wrong, given["draws"] is not None, note)


def fit_one_vs_all(answer, **given):
    """`answer` is a fit, a dict, or the prototypes (m, d) alone."""
    parts = parts_of(answer, "prototypes")
    parts = _checked(parts, {"prototypes": (walks.classes(given), given["X"].shape[1]), "embedding": None})
    replay, wrong = learners.replay(given, np.ravel(given["negatives"]).tolist()), learners.impossible(given, parts)
    return _compared(parts, replay, wrong, given["draws"] is not None, EQUAL)


def _checked(parts, shapes):
    """Returns the fields of a walk that an answer has, checked. The parameters are needed."""
    needed(parts, *(name for name, shape in shapes.items() if shape))
    m = shapes["prototypes"][0]
    shapes |= {"prototype_sums": (m,), "embedding_sums": shapes["embedding"] and shapes["embedding"][:1]}
    checked = {name: numbers(parts[name], shape, name) for name, shape in shapes.items() if name in parts and shape}
    if "last_violators" in parts:
        checked["last_violators"] = integers(parts["last_violators"], (m,), "last_violators", checks.NONE, m - 1)
    for name in ("steps", "updates"):
        if name in parts:
            checked[name] = int(integers(parts[name], (), name, 0, np.iinfo(np.int64).max))
    return checked


def _steps_made(parts, given):
    """Returns the number of steps of a walk that was stopped early, from its fit."""
    needed(parts, "steps")
    steps = parts["steps"] - (given["start"].steps if given["start"] is not None else 0)
    if not 1 <= steps <= given["n_updates"]:
        raise Malformed(f"steps should be at most those that were asked for, got {steps} of {given['n_updates']}")
    return steps


def _compared(parts, replay, wrong, is_given, note):
    """Returns the conditions of a walk: equality with its replay, or what holds for all draws."""
    conditions = [] if replay.doubtful else _equal(parts, replay, note)
    if conditions and (is_given or all(one.value <= one.bound for one in conditions)):
        return conditions
    note = ANY_DRAWS.format(why=DOUBT if replay.doubtful else OTHER_DRAWS)
    return [Condition(np.inf if wrong else 0.0, 0.0, wrong or "what no draw can change", note)]


def _equal(parts, replay, note):
    conditions = []
    for name in ARRAYS:
        if name in parts:
            error = walks.error_of(parts, replay.fit, name, replay.units)
            allowed = walks.allowed(replay, name, parts[name].dtype)
            conditions.append(Condition(error, allowed, f"{name}: {WALK}", note))
    for name in ("last_violators", "steps", "updates"):
        if name in parts and getattr(replay.fit, name) is not None:
            apart = np.abs(np.asarray(parts[name]) - getattr(replay.fit, name)).max()
            conditions.append(Condition(float(apart), 0.0, f"{name}: difference from the replay of the walk"))
    return conditions
