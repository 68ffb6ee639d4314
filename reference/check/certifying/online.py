"""Passive-aggressive updates: the KKT residual of one update, and a replay of a pass."""

import numpy as np

from .. import certificates
from ..judging.rounding import relative, tolerance
from ..replays import streams
from ._base import Condition, integers, needed, numbers, parts_of

STEPS = "difference from a pass whose updates are each certified, relative to the longest row"
EQUAL = "This proves equality with the algorithm, not an optimum: later updates may undo earlier ones."
OTHER_ORDER = (
    "The answer is not that of the order that the seed draws here, and no order is given. So only what holds for each "
    "order was checked: updates keep the sums of the columns, and move rows along the examples."
)


def multiclass_update(answer, A, x, y, **rule):
    """`answer` is the new weights (m, d). They must be the projection of the old ones: its KKT residual is measured."""
    B = numbers(answer, A.shape, "the new weights")
    residual = certificates.multiclass_update(B, A, x, y, **rule)
    return [Condition(residual, tolerance(B.dtype, sum(A.shape)), "KKT residual, relative to the longest row")]


def fit_passive_aggressive(answer, **given):
    """`answer` is a fit, a dict, or the weights (m, d) alone."""
    parts = parts_of(answer, "weights")
    needed(parts, "weights")
    X, y, A, *_ = streams.stream(given)
    asked = {name: numbers(parts[name], A.shape, name) for name in ("weights", "averaged") if name in parts}
    steps = len(y) * given["epochs"]
    counts = {"mistakes": integers(parts["mistakes"], (steps,), "mistakes", 0, steps)} if "mistakes" in parts else {}
    if "updates" in parts:
        counts["updates"] = int(integers(parts["updates"], (), "updates", 0, steps))
    conditions = _replayed(streams.replay(given), asked, counts)
    if given["order"] is None and any(not one.value <= one.bound for one in conditions):
        return _conserved(X, A, asked, steps)
    return conditions


def _replayed(replay, asked, counts):
    conditions = []
    for name, array in asked.items():
        error = relative(np.abs(array - getattr(replay, name)).max(), replay.unit)
        conditions.append(Condition(error, streams.allowed(replay, array.dtype), f"{name}: {STEPS}", EQUAL))
    if "mistakes" in counts:
        step = streams.miscounted(replay, counts["mistakes"])
        where = "mistakes that rounding does not explain" + ("" if step is None else f", first at step {step}")
        conditions.append(Condition(0.0 if step is None else np.inf, 0.0, where))
    if "updates" in counts:
        least, most = replay.may_update
        apart = max(least - counts["updates"], counts["updates"] - most, 0)
        conditions.append(Condition(float(apart), 0.0, f"updates beyond the {least}..{most} that rounding allows"))
    return conditions


def _conserved(X, A, asked, steps):
    conditions = []
    for name, array in asked.items():
        allowed = tolerance(array.dtype, 1) + tolerance(np.float64, steps * sum(A.shape))
        gained, across = streams.conserved(X, A, array)
        conditions += [
            Condition(gained, allowed, f"{name}: change of the sums of the columns, relative", OTHER_ORDER),
            Condition(across, allowed, f"{name}: part of the change across all examples, relative", OTHER_ORDER),
        ]
    return conditions


def squish_column(answer, z, lower, upper):
    """`answer` is the column (d,)."""
    x = numbers(answer, z.shape, "the answer")
    what = "KKT residual, relative to the largest entry of the point or of the answer"
    return [Condition(certificates.squish_column(x, z, lower, upper), tolerance(x.dtype, z.shape[-1]), what)]
