"""Conditions of passive-aggressive updates: the KKT residual of a column or of one update, and a replay of a pass."""

import numpy as np

from ..judging.condition import DIFFERS, Condition
from ..proofs.rounding import answer_dtype, relative, tolerance
from . import bounds, passes

STEPS = "difference from a pass whose updates are each certified, relative to the longest row"
EQUAL = "This proves equality with the algorithm, not an optimum: later updates may undo earlier ones."
OTHER_ORDER = (
    "The answer is not that of the order that the seed draws here, and no order is given. So only what holds for each "
    "order was checked: updates keep the sums of the columns, and move rows along the examples."
)
ACROSS = "weights that moved along combinations of the examples"


def squish_column(problem, x):
    """The optimality conditions of each row."""
    residual = bounds.squish_column(x, problem.z, problem.lower, problem.upper)
    return _optimal(residual, tolerance(x.dtype, x.shape[-1]), "the largest entry of the point or of the answer")


def multiclass_update(problem, weights):
    """The new weights are the projection of the old ones."""
    residual = bounds.multiclass_update(weights, **vars(problem))
    return _optimal(residual, tolerance(weights.dtype, sum(weights.shape)), "the longest row")


def _optimal(residual, allowed, unit):
    detail = f"its optimality conditions are broken by {residual:.1e}"
    return [Condition(residual, allowed, f"KKT residual, relative to {unit}", detail=detail)]


def fit_passive_aggressive(problem, weights, averaged=None, mistakes=None, updates=None):
    """The fit is that of a replay. If no order is given, what holds for each order is enough."""
    asked = {"weights": weights} if averaged is None else {"weights": weights, "averaged": averaged}
    conditions = list(_replayed(problem, asked, mistakes, updates))
    if problem.order is None and not all(one.is_met for one in conditions):
        return list(_conserved(problem, asked, mistakes, updates))
    return conditions


def _replayed(problem, asked, mistakes, updates):
    """Yields the conditions that weights, their mean, mistakes and updates are those of the replay."""
    replay, dtype = passes.replay(problem), answer_dtype(problem.X)
    expected = {name: getattr(replay, name).astype(dtype) for name in asked}
    expected |= {"mistakes": replay.mistakes, "updates": replay.updates}
    for name, array in asked.items():
        error = relative(np.abs(array - getattr(replay, name)).max(), replay.unit)
        text, detail = f"{name}: {STEPS}", f"{name} by {error:.1e}, relative"
        yield Condition(error, passes.allowed(replay, array.dtype), text, EQUAL, DIFFERS, detail, expected)
    if mistakes is not None:
        step = passes.miscounted(replay, mistakes)
        text, detail = "mistakes that rounding does not explain", ""
        if step is not None:
            text += f", first at step {step}"
            detail = f"step {step} counts {np.diff(mistakes, prepend=0)[step]} mistakes"
        yield Condition(0.0 if step is None else np.inf, 0.0, text, reason="mistakes", detail=detail)
    if updates is not None:
        text, detail = "updates beyond the {}..{} that rounding allows", f"{replay.updates} steps change the weights"
        yield _between(updates, *replay.may_update, text, detail)


def _conserved(problem, asked, mistakes, updates):
    """Yields what holds in any order: an update moves a multiple of an example from some rows to another row."""
    A, steps = problem.weights, len(problem.y) * problem.epochs
    for name, array in asked.items():
        allowed = tolerance(array.dtype, 1) + tolerance(np.float64, steps * sum(A.shape))
        gained, across = passes.conserved(problem.X, A, array)
        for reason, off, text, expected in (
            ("columns", gained, "change of the sums of the columns, relative", {"sums of the columns": A.sum(axis=0)}),
            ("rows", across, "part of the change across all examples, relative", ACROSS),
        ):
            detail = f"of {name}: off by {off:.1e}"
            yield Condition(off, allowed, f"{name}: {text}", OTHER_ORDER, reason, detail, expected)
    if mistakes is not None:
        wrong = np.count_nonzero(~np.isin(np.diff(mistakes, prepend=0), (0, 1)))
        text, detail = "steps that count neither 0 nor 1 mistake", "they must be cumulative, one number a step"
        yield Condition(float(wrong), 0.0, text, OTHER_ORDER, "mistakes", detail, "0 or 1 more at each step")
    if updates is not None:
        detail = f"{updates} of {steps} steps cannot have changed the weights"
        yield _between(updates, 0, steps, "updates beyond {}..{}", detail, f"{steps} or fewer")


def _between(updates, least, most, text, detail, expected=None):
    apart = float(max(least - updates, updates - most, 0))
    return Condition(apart, 0.0, text.format(least, most), "", "updates", detail, expected)
