"""Replays a pass of passive-aggressive updates. Each update is exact, or proved by its certificate."""

from typing import NamedTuple

import numpy as np

from ...ground_truth import enumeration
from ...problems import checks
from ..proofs.rounding import tolerance
from . import bounds

ROUNDING = 32 * float(np.finfo(np.float64).eps)  # scores this close, relative to unit |x|, count as equal
LARGEST_EXACT = 8  # classes, up to which an update for k > 1 is computed in fractions: a millisecond or less
HALVINGS = 200  # of the interval of a sum: enough for any float64


class Replay(NamedTuple):
    """What a fit must return. Where rounding decides, `may_` gives the least and the most that it may count."""

    weights: np.ndarray
    averaged: np.ndarray
    mistakes: np.ndarray
    updates: int
    may_err: np.ndarray  # (steps, 2) bool
    may_update: tuple
    unit: float  # the largest norm of a row during the pass
    residual: float  # the sum of the residuals of all steps, in this unit; an update does not enlarge earlier errors


def replay(problem):
    """Returns the Replay: one exact update after another, as in Crammer et al., rounded to float64 in between.

    Where rounding decides about a mistake or an update, both answers are accepted. O(steps m d), and O(m log m) times
    the halvings for each step with k > 1.
    """
    y, A, rule = problem.y, problem.weights, checks.UpdateRule(**problem.only(*checks.UpdateRule._fields))
    example, shares = checks.row_of(problem.X), checks.example_weights(problem.sample_weight, len(y))
    total, may_err, may_update, unit, residual = np.zeros_like(A), [], [], longest(A), 0.0
    for i in np.concatenate(list(checks.passes(problem.order, len(y), problem.epochs, problem.seed))):
        x = example(i)
        scores = A @ x
        worst = np.sort(np.delete(scores, y[i]))[::-1][: rule.k]
        tie = ROUNDING * unit * float(np.sqrt(x @ x))  # scores may cancel: their rounding is that of their products
        rounding = tie + ROUNDING * rule.margin
        moves = x @ x >= np.finfo(np.float64).tiny and shares[i] > 0
        loss = (worst - scores[y[i]]).mean() + rule.margin if moves else 0.0
        may_err.append([worst[-1] - scores[y[i]] >= share * tie for share in (2.0, -1.0, -2.0)])
        may_update.append([loss > share * rounding for share in (2.0, 1.0, -2.0 if loss else 0.0)])
        if loss > rounding:
            A, broken = updated(A, x, y[i], rule.of(shares[i]))
            residual += broken
        total += A
        unit = max(unit, longest(A))
    least, updates, most = np.sum(may_update, axis=0).tolist()
    may_err = np.array(may_err)
    mistakes, mean = np.cumsum(may_err[:, 1]), total / len(may_err)
    return Replay(A, mean, mistakes, updates, may_err[:, ::2], (least, most), unit, residual)


def allowed(replay, dtype):
    """Returns the error of the weights that rounding explains, relative to the unit of the replay.

    Each step is rounded in float64 (an update does not enlarge earlier errors), and the answer in its own dtype.
    """
    steps = len(replay.mistakes) * sum(replay.weights.shape)
    return tolerance(dtype, 1) + tolerance(np.float64, steps) + replay.residual


def miscounted(replay, mistakes):
    """Returns the first step of which `mistakes` (cumulative) counts what rounding cannot explain, or None."""
    erred = np.diff(mistakes, prepend=0)
    wrong = (erred < replay.may_err[:, 0]) | (erred > replay.may_err[:, 1])
    return int(np.argmax(wrong)) if wrong.any() else None


def conserved(X, A, weights):
    """Returns how far weights are from what each order of the examples X leads to, from A: two relative numbers.

    An update moves multiples of an example from some rows to another row. So (1) the sums of the columns stay, and (2)
    rows move along combinations of the examples.
    """
    moved, unit, directions = weights - A, max(longest(A), longest(weights)) or 1.0, _row_space(X)
    gained = np.abs(moved.sum(axis=0)).max() / unit / len(A) ** 0.5
    across = np.abs(moved - (moved @ directions.T) @ directions).max() / unit
    return float(gained), float(across)


def updated(A, x, y, rule):
    """Returns (the update, its residual). A proposal in floats counts as exact if its certificate is about 0."""
    exact = len(A) <= LARGEST_EXACT
    if rule.k > 1 and exact:
        return enumeration.multiclass_update(A, x, y, **rule._asdict()), 0.0
    B = (_proposed if rule.k == 1 else _bisected)(A, x, y, rule)
    residual = bounds.multiclass_update(B, A, x, y, **rule._asdict())
    if residual <= tolerance(np.float64, 1):
        return B, 0.0
    return (enumeration.multiclass_update(A, x, y, **rule._asdict()), 0.0) if rule.k == 1 else (B, residual)


def _proposed(A, x, y, rule):
    """Returns the update for k = 1: it lowers the violations above a level, which depends on their number."""
    scores, norm, j = A @ x, x @ x, np.arange(1, len(A))
    c = (np.delete(scores, y) - scores[y] + rule.margin) / norm
    descending = np.sort(c)[::-1]
    bias = 1 + (1 / (2 * rule.aggressiveness) / norm if rule.variant == "pa2" else 0.0)
    levels = bias * np.cumsum(descending) / (1 + bias * j)
    if rule.variant == "pa1":
        levels = np.maximum(levels, (np.cumsum(descending) - rule.aggressiveness) / j)
    lowered = np.maximum(c - levels[max(np.count_nonzero(descending > levels), 1) - 1], 0.0)
    return A + np.outer(np.insert(-lowered, y, lowered.sum()), x)


def _bisected(A, x, y, rule):
    """Returns the update for k > 1. The sum of the steps is found by bisection: the slope falls as the sum grows."""
    scores, norm = A @ x, x @ x
    c = (np.delete(scores, y) - scores[y] + rule.margin) / norm
    bias = 1 + (1 / (2 * rule.aggressiveness) / norm if rule.variant == "pa2" else 0.0)
    descending = np.sort(c)[::-1]
    low, high = 0.0, max(np.sum(descending[: rule.k]) / rule.k, 0.0)  # a larger sum would overshoot the margin
    if rule.variant == "pa1" and _slope(descending, min(rule.aggressiveness, high), rule.k, bias) >= 0:
        low = high = min(rule.aggressiveness, high)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if not low < middle < high:
            break
        low, high = (middle, high) if _slope(descending, middle, rule.k, bias) > 0 else (low, middle)
    lowered = np.clip(c - _level(descending, high, rule.k), 0.0, high / rule.k)
    return A + np.outer(np.insert(-lowered, y, lowered.sum()), x)


def _slope(descending, total, k, bias):
    """Returns the slope of  -1/2 |c - x|^2 - bias/2 total^2  in the total of the best x in [0, total/k]^m."""
    t = _level(descending, total, k)
    return t + np.maximum(descending - t - total / k, 0.0).sum() / k - bias * total


def _level(descending, total, k):
    """Returns the t for which clip(c - t, 0, total/k) sums to the total.

    The sum is piecewise linear in t and falls. Its bends are at c and at c - total/k. Between the last bend at which it
    is too large and the first at which it is not, t is interpolated.
    """
    cap, sums = total / k, np.append(0.0, np.cumsum(descending))
    bends = np.sort(np.concatenate([descending, descending - cap]))[::-1]
    full = np.searchsorted(-descending, -(bends + cap), side="right")  # the entries at the cap
    some = np.searchsorted(-descending, -bends, side="right")
    values = full * cap + sums[some] - sums[full] - (some - full) * bends
    after = min(int(np.searchsorted(values, total)), len(bends) - 1)  # the values do not fall in this order
    if values[after] <= total or after == 0:
        return bends[after]
    gap = values[after] - values[after - 1]
    return bends[after] + (bends[after - 1] - bends[after]) * (values[after] - total) / gap


def longest(A):
    """Returns the largest norm of a row."""
    return float(np.linalg.norm(A.astype(np.float64), axis=1).max())


def _row_space(X):
    """Returns an orthonormal basis of the row space, one row a direction. All examples are scaled to length 1 first."""
    X = (X.toarray() if hasattr(X, "toarray") else X).astype(np.float64)
    lengths = np.linalg.norm(X, axis=1)
    _, sizes, directions = np.linalg.svd(X[lengths > 0] / lengths[lengths > 0, None], full_matrices=False)
    return directions[sizes > 1e-10 * sizes.max(initial=0.0)]
