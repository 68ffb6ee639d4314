"""Conditions of networks trained layer by layer: the scores again, and each update of a fit."""

from functools import partial

import numpy as np

from ...problems import layerwise as problems
from ..judging.answers import Malformed, entries, numbers
from ..judging.condition import Condition, suboptimality
from ..proofs.duality import bounds as bounds_of
from ..proofs.rounding import tolerance
from . import bounds

DIFFERENCE = "largest difference from the scores, relative to 1 or the largest one"
NOTE = "That is the worst update. The problem is not convex: each update is optimal for its convex problem, no more."
FIRST = "proved bound of the relative suboptimality of the first update"
SETTLED = 3.0  # if a decrease is within this factor of the tolerance, it may or may not end the rounds
Claimed = partial(Condition, reason="reports something else")


def network_scores(problem, scores):
    """The scores are those of a second pass. O(n) products of layers."""
    right = bounds.true_scores(problems.network_scores(**vars(problem)))
    apart = float(np.abs(scores - right).max() / max(1.0, np.abs(right).max()))
    return [Condition(apart, tolerance(scores.dtype, problem.X.size), DIFFERENCE)]


def fit_layerwise(problem, objectives, trail, weights=None, gap=None, history=None):
    """Each update of the trail is nearly optimal for its convex problem, and what is reported is what the trail says.

    The first update has a condition of its own: its convex problem is known beforehand, and so may be its minimum.
    """
    stated = problems.fit_layerwise(**vars(problem))
    trail, count = _checked(trail, stated)
    objectives = numbers(objectives, (len(trail) + 1,), "objectives")
    found = list(bounds.updates(trail, stated))
    worst, rounding = max(found, key=lambda update: update.gap), tolerance(trail[0].dtype, problem.X.size)
    detail, expected = f"an update has a relative gap of {worst.gap:.1e}", f"a gap of at most {stated.tol:g}"
    proved = partial(suboptimality, tol=stated.tol, detail=detail, expected=expected, rounding=rounding)
    yield proved(bounds_of(worst.primal, worst.bound), note=NOTE)
    yield from _on_the_way(objectives, found, 4 * rounding, stated, count)
    if history is not None:
        yield _convex_objectives(history, found, 4 * rounding)
    if weights is not None:
        yield _last(weights, trail[-count:])
    if gap is not None:
        detail = f"reports a gap of {gap:.1e}, the trail proves {worst.gap:.1e}"
        yield Claimed(worst.gap - gap, stated.tol, "gap", detail=detail, expected=expected, rounding=rounding)
    first = {"primal": found[0].primal, "dual": found[0].bound}
    yield Condition(found[0].gap, stated.tol, FIRST, expected=first, rounding=rounding)


def _checked(trail, stated):
    """Returns (the trail as arrays, the number of layers that have weights)."""
    shapes = [layer.weights_shape for layer in stated.network if layer.weights_shape]
    most, count = stated.max_rounds, len(shapes)
    if not isinstance(trail, (list, tuple)) or not 0 < len(trail) <= count * most or len(trail) % count:
        raise Malformed(f"trail should have the weights of 1..{most} rounds over {count} layers")
    return [numbers(W, shapes[number % count], "trail") for number, W in enumerate(trail)], count


def _on_the_way(objectives, found, rounding, stated, count):
    """The objectives are those of the weights and never rise, and the rounds had a reason to end."""
    right = np.array([found[0].before, *(update.after for update in found)])
    unit, allowed = np.maximum(right, 1.0), max(rounding, *(update.unsure for update in found))
    apart, rise = np.abs(objectives - right) / unit, float(max(0.0, (np.diff(right) / unit[1:]).max()))
    number, claimed = int(apart.argmax()), partial(Claimed, expected={"objectives": right})
    detail = f"reports the objective {objectives[number]:.8g}, its weights say {right[number]:.8g}"
    what = "largest difference of the objectives from those of the weights, relative"
    yield claimed(float(apart.max()), allowed, what, detail=detail)
    yield claimed(rise, allowed, "largest rise of the objective, relative")
    ends = right[::count]  # of the rounds, after the objective at the start
    if len(found) < count * stated.max_rounds:
        most = SETTLED * stated.tol * ends[-1] + allowed
        yield claimed(float(ends[-2] - ends[-1]), most, "decrease in the last round, although it ended the rounds")
    if len(ends) > 2:
        missing = float((stated.tol * ends[1:-1] / SETTLED + np.diff(ends[:-1])).max())
        yield claimed(missing, allowed * ends[0], "missing decrease in a round that was not the last")


def _convex_objectives(history, found, rounding):
    """The primal of an update is the objective of its convex problem at the new weights, if they were taken."""
    primal = np.asarray(history.get("primal")) if isinstance(history, dict) else np.zeros(0)
    if primal.shape != (len(found),) or primal.dtype.kind != "f":
        return Condition(1.0, 0.0, "history", reason="history", detail="history has no primal for each update")
    right, unit, taken = np.transpose([(one.primal, max(one.before, 1.0), one.after < one.before) for one in found])
    apart = float(np.where(taken == 1, np.abs(primal - right) / unit, 0.0).max())
    detail = f"the primal of an update is off by {apart:.1e}, relative to the objective before"
    allowed = max(rounding, *(one.unsure for one in found))
    return Condition(apart, allowed, "history of the primals", reason="history", detail=detail)


def _last(weights, last):
    """The weights are the last ones of the trail."""
    if entries(weights) != len(last):
        raise Malformed(f"weights should hold those of {len(last)} layers")
    pairs = [(numbers(W, right.shape, "weights"), right) for W, right in zip(weights, last, strict=True)]
    far = max(float(np.abs(W - right).max()) for W, right in pairs)
    return Claimed(far, 0.0, "distance of the weights from the last ones of the trail", expected={"weights": last})
