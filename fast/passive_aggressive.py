"""The passive-aggressive updates of `reference.passive_aggressive`: each weight is read once, few are changed."""

from __future__ import annotations

import numpy as np

from reference.problems import checks
from reference.problems import passive_aggressive as problems
from reference.problems.checks.types import Array, Floats, Matrix

from ._passive_aggressive.squish import squish_rows
from ._passive_aggressive.updates import OVERFLOW, Model, rule_of, update_on_each, update_weights
from ._shared.examples import linear_examples, read_only

__all__ = ["squish_column", "multiclass_update", "fit_passive_aggressive"]


@checks.documented_by(problems.squish_column)
def squish_column(z: Array, lower: float = -np.inf, upper: float = np.inf) -> Floats:
    """Returns the nearest column in which no coordinate is above the first one.

    Notes
    -----
    The twin of `reference.squish_column`. Newton's method instead of a sort finds the value that the largest
    coordinates share. One pass finds the coordinates that can be above it. Expected O(d).
    """
    z, lower, upper = problems.squish_column(z, lower, upper)
    z = np.ascontiguousarray(z)
    rows = read_only(z.reshape(-1, z.shape[-1]))
    x = np.empty(rows.shape, z.dtype)
    if not squish_rows(rows, lower, upper, x):
        checks.finite_array(z, "z")
    return x.reshape(z.shape)


@checks.documented_by(problems.multiclass_update)
def multiclass_update(
    A: Array, x: Array, y: int, *, margin: float = 1.0, variant: str = "pa", aggressiveness: float = 1.0, k: int = 1,
) -> Floats:  # fmt: skip
    """Returns the weights after the exact multiclass passive-aggressive update for one example.

    Notes
    -----
    The twin of `reference.multiclass_update`: the projections that it lists, for all variants and k. One pass over A
    copies it and computes A x; then only the rows that move are touched. The cost is O(m d + m log k).

    A loss of no more than a few roundings of the scores counts as 0. So a "pa" update that is repeated usually changes
    nothing (in float64, where scores do not cancel).
    """
    A, x, y, norm, rule = problems.multiclass_update(
        A, x, y, margin=margin, variant=variant, aggressiveness=aggressiveness, k=k
    )
    A = np.ascontiguousarray(A)
    B = np.empty_like(A)
    if not update_weights(read_only(A), x, y, norm, rule_of(rule), B):
        return _explain(checks.finite_array(A, "A"), x, y, norm, rule)
    return B


@checks.documented_by(problems.fit_passive_aggressive)
def fit_passive_aggressive(
    X: Matrix, y: Array, *, n_classes: int | None = None, epochs: int = 1, averaged: bool = False,
    order: Array | None = None, seed: int = 0, margin: float = 1.0, variant: str = "pa", aggressiveness: float = 1.0,
    k: int = 1, sample_weight: Array | None = None, weights: Array | None = None, progress: bool = False,
) -> checks.PassiveAggressiveFit:  # fmt: skip
    """Train a multiclass classifier by passive-aggressive updates, one for each example in turn.

    Notes
    -----
    An example that causes no update is still a step, and can be a mistake. The weight :math:`s_i = 2` differs from
    visiting the example twice: the second visit meets other weights, and in "pa2" even two updates in a row are not one
    of twice the weight.

    To continue with more data, pass the weights (those in float32 are rounded). With T and T' steps before and after,
    the mean of all weights is ``(T * averaged + T' * averaged') / (T + T')``. Arithmetic is in float64. The mean is the
    last weights minus a weighted sum of the steps, so its error is relative to the largest of these. The cost is O(m d
    + m log k) a step, or O(m) times the entries of a CSR row.
    """
    problem = problems.fit_passive_aggressive(
        X, y, n_classes=n_classes, epochs=epochs, averaged=averaged, order=order, seed=seed, margin=margin,
        variant=variant, aggressiveness=aggressiveness, k=k, sample_weight=sample_weight, weights=weights,
        progress=progress,
    )  # fmt: skip
    X, y, A, averaged, orders, _ = problem
    examples, X = linear_examples(X, y)
    checked, s = problem.rule(examples.squared_norms)
    rule = rule_of(checked)
    model = Model(A, np.zeros(A.shape if averaged else (0, 0)), averaged)
    mistakes, updates = np.zeros((epochs, len(y)), np.int64), 0
    with checks.progress_bar(progress, epochs, "mistakes") as report:
        for epoch, visiting in enumerate(orders):
            moved = update_on_each(examples, s, visiting, epoch * len(y), model, rule, mistakes[epoch])
            if moved == OVERFLOW:
                checks.in_range(A, np.float64, "weights")
                raise ValueError(f"weights @ x must be finite, got inf or NaN from weights up to {np.abs(A).max()}")
            updates += moved
            report(mistakes.sum() if progress else 0)
    last_less_mean = model.weighted_changes / mistakes.size
    mean = checks.in_range(A - last_less_mean, X.dtype, "averaged") if averaged else None
    weights = checks.in_range(A, X.dtype, "weights")
    return checks.PassiveAggressiveFit(weights, mean, mistakes.cumsum(), updates)


def _explain(A, x, y, norm, rule):
    """Raise the error for an update that was out of range."""
    exact = np.ascontiguousarray(A, np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        scores = checks.in_range(exact @ x, np.float64, "A @ x")
        violations = (scores - scores[y] + rule.margin) / norm
        checks.finite_array(violations, "(A x + margin) / |x|^2", checks.LARGEST_STEP)
    B = np.empty_like(exact)
    update_weights(read_only(exact), x, y, norm, rule_of(rule), B)
    return checks.in_range(B, A.dtype, "the new weights")
