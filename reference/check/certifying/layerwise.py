"""Networks trained layer by layer: the scores again, and each update of a fit."""

import numpy as np

from ...problems import layerwise as problems
from ..certificates import layerwise as certificates
from ..judging.duality import bounds
from ..judging.rounding import tolerance
from ._base import Condition, Malformed, entries, needed, numbers, parts_of, suboptimality

DIFFERENCE = "largest difference from the scores, relative to 1 or the largest one"
NOTE = "That is the worst update. The problem is not convex: each update is optimal for its convex problem, no more."
SETTLED = 3.0  # if a decrease is within this factor of the tolerance, it may or may not end the rounds


def network_scores(answer, X, layers, weights):
    """`answer` is the scores (n, outputs)."""
    scores = numbers(answer, (len(X), weights[-1].shape[1]), "the scores")
    apart = certificates.network_scores(scores, X, layers, weights)
    return [Condition(apart, tolerance(scores.dtype, X.size), DIFFERENCE)]


def fit_layerwise(answer, X, y, layers, **options):
    """`answer` is a fit, or a dict with objectives and trail; it may also have weights."""
    parts = parts_of(answer, "objectives", "trail")
    needed(parts, "objectives", "trail")
    problem = problems.fit_layerwise(X, y, layers, **options)
    shapes = [layer.weights_shape for layer in problem.network if layer.weights_shape]
    trail, count = parts["trail"], len(shapes)
    if not isinstance(trail, (list, tuple)) or not 0 < len(trail) <= count * problem.max_rounds or len(trail) % count:
        raise Malformed(f"trail should have the weights of 1..{problem.max_rounds} rounds over {count} layers")
    trail = [numbers(W, shapes[number % count], "trail") for number, W in enumerate(trail)]
    objectives = numbers(parts["objectives"], (len(trail) + 1,), "objectives")
    found = list(certificates.updates(trail, X, y, layers, **options))
    return conditions(found, objectives, trail, parts.get("weights"), problem, count)


def conditions(found, objectives, trail, weights, problem, count):
    """Returns the conditions on the updates that were rebuilt, the main one first."""
    worst = max(found, key=lambda update: update.gap)
    expected = np.array([found[0].before, *(update.after for update in found)])
    unit, unsure = np.maximum(expected, 1.0), max(update.unsure for update in found)
    allowed = max(4 * tolerance(trail[0].dtype, problem.X.size), unsure)
    apart = float((np.abs(objectives - expected) / unit).max())
    rise = float(max(0.0, (np.diff(expected) / unit[1:]).max()))
    result = [
        suboptimality(bounds(worst.primal, worst.bound), problem.tol, NOTE),
        Condition(apart, allowed, "largest difference of the objectives from those of the weights, relative"),
        Condition(rise, allowed, "largest rise of the objective, relative"),
    ]
    if weights is not None:
        if entries(weights) != count:
            raise Malformed(f"weights should hold those of {count} layers")
        pairs = [(numbers(W, last.shape, "weights"), last) for W, last in zip(weights, trail[-count:], strict=True)]
        far = max(float(np.abs(W - last).max()) for W, last in pairs)
        result.append(Condition(far, 0.0, "distance of the weights from the last ones of the trail"))
    decrease = expected[-1 - count] - expected[-1]
    if len(trail) < count * problem.max_rounds:
        most = SETTLED * problem.tol * expected[-1] + allowed
        result.append(Condition(float(decrease), most, "decrease in the last round, although it ended the rounds"))
    return result
