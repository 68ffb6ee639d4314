"""Passive-aggressive updates: change the weights as little as possible so that the right label wins.

The weights are A, one row a class, and the scores of an example x are A x. The update for label y in English::

    Let c_j be the amount by which rival j violates the margin, divided by |x|^2. If none is positive, change nothing.
    Otherwise row y moves along x, and the rows of rivals move in the opposite direction.
    Squish the column (0, c): lower the largest violations and raise the 0 until they meet.
    The row of rival j moves by the amount by which c_j was lowered. Row y moves by the sum of these amounts.

Squishing solves the case without slack for k = 1. With slack, it is replaced by the projection onto the top-k simplex
for k = 1. With k > 1, the same projections give an update that bounds only the mean of the k worst rivals.

Source: Paper 001 (Daumé: Column Squishing for Multiclass Updates, 2017).
"""

from __future__ import annotations

import numpy as np

from .problems import checks
from .problems import passive_aggressive as problems
from .problems.checks.types import Array, Floats, Matrix
from .projections import NO_RADIUS, _topk_simplex

__all__ = ["squish_column", "multiclass_update", "fit_passive_aggressive"]

ROUNDING = 32 * float(np.finfo(np.float64).eps)  # relative; scores that differ by no more count as equal


@checks.documented_by(problems.squish_column)
def squish_column(z: Array, lower: float = -np.inf, upper: float = np.inf) -> Floats:
    r"""Returns the nearest column in which no coordinate is above the first one.

    .. math::

        \arg\min_x \;\; & \|x - z\|^2 \\
        \text{subject to} \;\; & x_i \le x_0, \;\; \text{lower} \le x_i \le \text{upper}

    Notes
    -----
    The coordinates of z above :math:`x_0` are replaced by one value, the mean of them and :math:`z_0`. The others are
    visited in descending order with a running mean, until a coordinate is not above the mean. The cost is O(d log d).
    """
    z, lower, upper = problems.squish_column(z, lower, upper)
    checks.finite_array(z, "z")
    if z.ndim == 1:
        return _squish(z.astype(np.float64), lower, upper).astype(z.dtype)
    return np.array([_squish(row, lower, upper) for row in z.astype(np.float64)]).astype(z.dtype)


@checks.documented_by(problems.multiclass_update)
def multiclass_update(
    A: Array, x: Array, y: int, *, margin: float = 1.0, variant: str = "pa", aggressiveness: float = 1.0, k: int = 1,
) -> Floats:  # fmt: skip
    r"""Returns the weights after the exact multiclass passive-aggressive update for one example.

    .. math::

        \arg\min_B \;\; & \tfrac12 \|B - A\|^2 + \text{penalty}(L(B)) \\
        \text{where} \;\; & L(B) = \max \left( 0, \; \tfrac1k \sum_{j=1}^k h_{[j]} \right)

    L is the top-k hinge loss of :math:`h_j = \text{margin} + (B x)_j - (B x)_y` over the rivals j of y, where
    :math:`h_{[j]}` is the j-th largest. For k = 1 it is 0 if label y wins by the margin.

    Notes
    -----
    The answer is :math:`B_j = A_j - l_j x` for the rivals and :math:`B_y = A_y + (\sum_j l_j) x`. The steps
    :math:`l \ge 0` follow from the violations :math:`c_j = ((A x)_j - (A x)_y + \text{margin}) / \|x\|^2`:

    * "pa": ``l = project_topk_cone(c, k, bias=1)``. For k = 1 this is column squishing, and computed as such.
    * "pa1": ``l = project_topk_simplex(c, k, radius=aggressiveness, bias=1)``, one step of SDCA from zero duals.
    * "pa2": ``l = project_topk_cone(c, k, bias=1 + 1 / (2 * aggressiveness * norm**2))``, where norm is that of x.

    A loss of no more than a few roundings of the scores counts as 0. So a "pa" update that is repeated usually changes
    nothing (in float64, where scores do not cancel). The cost is O(m d + m log m + k m).
    """
    A, x, y, norm, rule = problems.multiclass_update(
        A, x, y, margin=margin, variant=variant, aggressiveness=aggressiveness, k=k
    )
    scores = _scores(checks.finite_array(A, "A").astype(np.float64), x, "A @ x")
    steps = _steps(scores, y, norm, rule)
    return checks.in_range(A + np.outer(steps, x), A.dtype, "the new weights")


@checks.documented_by(problems.fit_passive_aggressive)
def fit_passive_aggressive(
    X: Matrix, y: Array, *, n_classes: int | None = None, epochs: int = 1, averaged: bool = False,
    order: Array | None = None, seed: int = 0, margin: float = 1.0, variant: str = "pa", aggressiveness: float = 1.0,
    k: int = 1, sample_weight: Array | None = None, weights: Array | None = None, progress: bool = False,
) -> checks.PassiveAggressiveFit:  # fmt: skip
    r"""Train a multiclass classifier by passive-aggressive updates, one for each example in turn.

    .. math::

        A \leftarrow \arg\min_B \; \tfrac12 \|B - A\|^2 + s_i \, \text{penalty}(L_i(B))

    Here :math:`L_i` is the loss of example i, as for `multiclass_update`, and :math:`s_i` is its `sample_weight`.

    Notes
    -----
    An example that causes no update is still a step, and can be a mistake. The weight :math:`s_i = 2` differs from
    visiting the example twice: the second visit meets other weights, and in "pa2" even two updates in a row are not one
    of twice the weight.

    To continue with more data, pass the weights (those in float32 are rounded). With T and T' steps before and after,
    the mean of all weights is ``(T * averaged + T' * averaged') / (T + T')``. Arithmetic is in float64. The cost is O(m
    d + m log m + k m) a step.
    """
    problem = problems.fit_passive_aggressive(
        X, y, n_classes=n_classes, epochs=epochs, averaged=averaged, order=order, seed=seed, margin=margin,
        variant=variant, aggressiveness=aggressiveness, k=k, sample_weight=sample_weight, weights=weights,
        progress=progress,
    )  # fmt: skip
    X, y, A, averaged, orders, _ = problem
    with np.errstate(over="ignore"):  # `squared_norms` refuses an infinite norm
        norms = checks.squared_norms(np.array([row @ row for row in map(checks.row_of(X), range(len(y)))]), "X")
    rule, s = problem.rule(norms)
    example, total, wrong, updates = checks.row_of(X), np.zeros_like(A), [], 0
    with checks.progress_bar(progress, epochs, "mistakes") as report:
        for visiting in orders:
            for i in visiting:
                x = example(i)
                scores = _scores(A, x, "weights @ x")
                steps = _steps(scores, y[i], norms[i], rule.of(s[i]))
                wrong.append(_is_mistake(scores, y[i], rule.k))
                updates += int(steps.any())
                A = A + np.outer(steps, x)
                total = total + A
            report(np.count_nonzero(wrong) if progress else 0)
    mean = checks.in_range(total / len(wrong), X.dtype, "averaged") if averaged else None
    weights = checks.in_range(A, X.dtype, "weights")
    return checks.PassiveAggressiveFit(weights, mean, np.cumsum(wrong), updates)


def _squish(z, lower, upper):
    """Algorithm 5 of Bittorf et al., with bounds in place of their [0, 1]; `mean` is their mu."""
    descending = 1 + np.argsort(-z[1:], kind="stable")
    mean, squished = z[0], [0]
    for i in descending:
        if z[i] <= np.clip(mean, lower, upper):
            break
        squished.append(i)
        mean = mean + (z[i] / len(squished) - mean / len(squished))
    x = np.maximum(z, lower)
    x[squished] = np.clip(np.sum(z[squished] / len(squished)), lower, upper)  # free of the roundings of `mean`
    return x


def _scores(A, x, name):
    """Returns A x, or raises an error that calls it `name`."""
    with np.errstate(over="ignore", invalid="ignore"):  # too large a number becomes inf or NaN, which is refused
        return checks.in_range(A @ x, np.float64, name)


def _steps(scores, y, norm, rule):
    """Returns the multiple of x that is added to each row of A: (m,) numbers that sum to 0."""
    steps, rivals = np.zeros(len(scores)), np.arange(len(scores)) != y
    with np.errstate(over="ignore"):  # too large a number becomes infinite, which is refused
        violations, worst = scores[rivals] - scores[y] + rule.margin, np.sort(scores[rivals])[-rule.k :]
        rounding = ROUNDING * np.abs(worst).max() + ROUNDING * abs(scores[y]) + ROUNDING * rule.margin
        skipped = norm == 0 or rule.aggressiveness == 0
        if skipped or np.mean(np.sort(violations)[-rule.k :]) <= rounding:
            return steps
        c = checks.finite_array(violations / norm, "(A x + margin) / |x|^2", checks.LARGEST_STEP)
    if rule.variant == "pa" and rule.k == 1:
        lowered, raised = _by_squishing(c)
    else:
        lowered, raised = _by_projection(scores[rivals], scores[y], norm, rule)
    steps[rivals], steps[y] = -lowered, raised
    return steps


def _by_squishing(c):
    """The update of 001: squish z = (0, c). Returns by how much each c_j was lowered and the 0 was raised.

    Without slack these amounts are as large as c, so c need not be split as in `_by_projection`.
    """
    z = np.append(0.0, c)
    d = _squish(z, -np.inf, np.inf) - z
    return -d[1:], d[0]


def _by_projection(scores, own, norm, rule):
    """Returns the l of `multiclass_update` and its sum.

    c is split into its largest entry and the differences to it. Where the margin is large beside the scores, or x is
    short, c alone would lose the digits in which the rivals differ.
    """
    k, largest = rule.k, (scores.max() - own + rule.margin) / norm
    below = (scores - scores.max()) / norm
    radius = rule.aggressiveness if rule.variant == "pa1" else NO_RADIUS
    bias = 1 + 1 / (2 * rule.aggressiveness * norm) if rule.variant == "pa2" else 1.0
    lowered = _topk_simplex(below, k, radius, bias, offset=largest)
    # The sum of l, without the roundings of its terms: bias * sum l is the mean of the k worst rivals after the update.
    mean = largest + np.mean(np.sort(below)[-k:] - np.sort(lowered)[-k:])
    return lowered, min(mean / bias, radius)


def _is_mistake(scores, y, k):
    """Returns whether at least k rivals score as much as y or more: `losses.topk_error`, up to roundings."""
    rivals = np.delete(scores, y)
    ahead = rivals >= scores[y] - ROUNDING * np.maximum(np.abs(rivals), abs(scores[y]))
    return np.count_nonzero(ahead) >= k
