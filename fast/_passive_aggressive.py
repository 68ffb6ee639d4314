"""The kernels of passive-aggressive updates: the step of one example, one update, and a pass over many examples.

Weights are (m, d), one class a row. A step is a number for each row, by how much it moves along x; most are 0, and only
the rows that move are touched.
"""

from typing import NamedTuple

import numpy as np

from ._projections.rows import topk_row
from ._shared.examples import add_row, class_scores
from ._shared.jit import inlined_sum, kernel
from ._shared.order import largest

ROUNDING = 32 * float(np.finfo(np.float64).eps)  # what two scores may differ by and be equal, relative


class Rule(NamedTuple):
    """How an update is made: the dual's sum is at most `radius`, and 1 / (hardness |x|^2) is added to the bias of 1."""

    margin: float
    k: int
    radius: float
    hardness: float


class Work(NamedTuple):
    """Memory for one step; `fixed` and `bits` are that of `below`, as a point that nobody writes to and as its bits."""

    scores: np.ndarray
    steps: np.ndarray
    below: np.ndarray
    fixed: np.ndarray
    bits: np.ndarray
    lowered: np.ndarray
    z: np.ndarray
    where: np.ndarray
    top: np.ndarray
    beyond: np.ndarray


@kernel
def _work(rule, below):
    memory, fixed, bits = below
    rivals = len(memory)
    return Work(
        np.empty(rivals + 1), np.empty(rivals + 1), memory, fixed, bits, np.empty(rivals), np.empty(rivals),
        np.empty(rivals, np.int64), np.empty(min(rule.k + 1, rivals)), np.empty(rule.k),
    )  # fmt: skip


@kernel
def find_steps(work, y, norm, weight, rule):
    """Write the steps for label y: (1 if there are any, 1 if it is a mistake); (-1, 0) if numbers are out of range.

    The penalty is multiplied by `weight`; 0 asks for no step.
    """
    scores, m = work.scores, len(work.scores)
    best, zero = -np.inf, 0.0
    for j in range(m):
        zero += scores[j] - scores[j]
        if j != y:
            best = max(best, scores[j])
    if zero != 0:  # NaN
        return -1, 0
    mistake, worst = _is_mistake(scores, y, rule.k), best - scores[y] + rule.margin
    rounding = ROUNDING * abs(best) + ROUNDING * abs(scores[y]) + ROUNDING * rule.margin
    if norm == 0 or weight == 0 or worst <= rounding:
        return 0, mistake
    for j in range(m - 1):
        work.below[j] = scores[j + (j >= y)] - best
    if rule.k > 1:
        largest(work.below, m - 1, work.top)
        rounding += ROUNDING * max(abs(best + work.top[rule.k - 1]) - abs(best), 0.0)
        if worst + work.top[: rule.k].mean() <= rounding:
            return 0, mistake
    for j in range(m - 1):
        work.below[j] /= norm
        zero += work.below[j] - work.below[j]
    if not worst / norm < np.inf or zero != 0:
        return -1, 0
    _lower(work, y, worst / norm, rule.radius * weight, 1 + 1 / (rule.hardness * weight * norm), rule.k)
    return 1, mistake


@kernel
def _is_mistake(scores, y, k):
    """1 if at least k rivals score as much as y or more, up to roundings, else 0."""
    ahead = -1  # y itself
    for j in range(len(scores)):
        ahead += scores[j] >= scores[y] - ROUNDING * max(abs(scores[j]), abs(scores[y]))
    return 1 if ahead >= k else 0


@kernel
def _lower(work, y, worst, radius, bias, k):
    """c, as its largest and what the others are below that, is projected; rivals step back by it, y forward."""
    for j in range(len(work.lowered)):
        work.lowered[j] = 0.0  # a long projection is written where it is not zero
    _, _, total = topk_row(
        work.fixed, work.bits, k, radius, bias, worst, work.lowered, work.z, work.where, work.top, work.beyond
    )
    for j in range(len(work.lowered)):
        work.steps[j + (j >= y)] = -work.lowered[j]
    work.steps[y] = total


@inlined_sum
def _copy_and_score(a, x, b):
    """Copy a row and return its inner product with x, in one pass over memory."""
    total = 0.0
    for e in range(len(x)):
        b[e] = a[e]
        total += a[e] * x[e]
    return total


@kernel
def update(A, x, y, norm, rule, below, B):
    """Write the updated weights; False if a score or a weight is not finite, as where A is not."""
    work = _work(rule, below)
    for j in range(len(A)):
        work.scores[j] = _copy_and_score(A[j], x, B[j])
    moves, _ = find_steps(work, y, norm, 1.0, rule)
    zero = 0.0
    if moves == 1:
        for j in range(len(A)):
            if work.steps[j] != 0:
                for e in range(len(x)):
                    B[j, e] = A[j, e] + work.steps[j] * x[e]
                    zero += B[j, e] - B[j, e]
    return moves >= 0 and zero == 0


@kernel
def one_pass(examples, sample_weight, visiting, before, weights, weighted, rule, below, mistakes):
    """An update for each example in the given order; how many moved the weights, or -1 if numbers are out of range.

    Step s moves the weights by D_s. If `weighted` has room, s D_s is added to it, s counting from `before`: the mean of
    the weights after each of T steps is the last weights less the sum of s D_s / T.
    """
    updates, work, classes = 0, _work(rule, below), np.arange(len(weights))
    for s in range(len(visiting)):
        i = visiting[s]
        class_scores(examples.rows, i, weights, classes, work.scores)
        norm, label = examples.squared_norms[i], examples.labels[i]
        moves, mistakes[s] = find_steps(work, label, norm, sample_weight[i], rule)
        if moves < 0:
            return -1
        if moves == 1:
            updates += 1
            _move_weights(examples, i, weights, work.steps, 1.0)
            if len(weighted) > 0:
                _move_weights(examples, i, weighted, work.steps, float(before + s))
    return updates


@kernel
def _move_weights(examples, i, weights, steps, times):
    """Row j of the weights moves along example i by steps[j], so many times."""
    for j in range(len(steps)):
        if steps[j] != 0:
            add_row(examples.rows, i, weights[j], times * steps[j])
