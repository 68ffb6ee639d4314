"""The kernels of passive-aggressive updates: the steps of one example, one update, and updates on many examples.

The weights are (m, d), one row a class. An example x with label y moves row j of the weights by steps[j] x. Most steps
are 0, and only the rows that move are touched.
"""

from typing import NamedTuple

import numpy as np

from reference.problems import checks
from reference.problems.checks import LARGEST_STEP

from .._projections.candidates import Memory
from .._projections.thresholds import TopKProblem
from .._projections.topk import NO_RADIUS, many_in_place, topk_memory
from .._shared.bits import LARGEST_NUMBERS
from .._shared.examples import add_row, class_scores, linear_examples
from .._shared.jit import inlined_sum, kernel, merged
from .._shared.order import largest_sorted

ROUNDING = 32 * float(np.finfo(np.float64).eps)  # relative; scores that differ by no more count as equal
OVERFLOW, NO_STEP, STEP = -1, 0, 1  # what `find_steps` found


class Rule(NamedTuple):
    """How to update: project with sum <= radius, and add 1 / (hardness |x|^2) to the bias of 1."""

    margin: float
    k: int
    radius: float
    hardness: float


class StepMemory(NamedTuple):
    """Memory for one example: scores and steps of all classes, and the rivals' violations, which are projected."""

    scores: np.ndarray
    steps: np.ndarray
    rivals: np.ndarray
    memory: Memory


class Model(NamedTuple):
    """The weights and, if they are averaged, the sum of s D_s, D_s being the change of the weights in step s."""

    weights: np.ndarray
    weighted_changes: np.ndarray
    is_averaged: bool


@kernel
def _work_for(rule, m):
    return StepMemory(np.empty(m), np.empty(m), np.empty(m - 1), topk_memory(m - 1, rule.k))


@kernel
def find_steps(work, y, norm, weight, rule):
    """Write the steps for label y. Returns OVERFLOW, NO_STEP or STEP, and 1 if the scores are a mistake, else 0.

    `norm` is |x|^2. The penalty is multiplied by `weight`; at 0 there is no step.
    """
    scores, largest = work.scores, work.memory.largest
    best, finite = _best_rival(scores, y)
    if not finite:
        return OVERFLOW, 0
    mistake, worst = _is_mistake(scores, y, rule.k), best - scores[y] + rule.margin
    rounding = ROUNDING * abs(best) + ROUNDING * abs(scores[y]) + ROUNDING * rule.margin
    if norm == 0 or weight == 0 or worst <= rounding:
        return NO_STEP, mistake
    below = work.rivals
    for j in range(len(below)):
        below[j] = scores[j + (j >= y)] - best
    if rule.k > 1:
        largest_sorted(below, len(below), largest)
        rounding += ROUNDING * max(abs(best + largest[rule.k - 1]) - abs(best), 0.0)
        if worst + largest[: rule.k].mean() <= rounding:
            return NO_STEP, mistake
    outside = 0
    for j in range(len(below)):
        outside += not abs((worst + below[j]) / norm) <= LARGEST_STEP
        below[j] /= norm
    if outside > 0:
        return OVERFLOW, 0
    bias = 1 + 1 / (rule.hardness * weight * norm)
    _project_violations(work, y, TopKProblem(rule.k, rule.radius * weight, bias, worst / norm))
    return STEP, mistake


@kernel
def _best_rival(scores, y):
    """Returns the highest score of the rivals, and whether all scores are finite."""
    best, zero = -np.inf, 0.0
    for j in range(len(scores)):
        zero += scores[j] - scores[j]  # NaN if a score is not finite
        if j != y:
            best = max(best, scores[j])
    return best, zero == 0


@kernel
def _is_mistake(scores, y, k):
    """Returns 1 if at least k rivals score as much as y or more, up to roundings, else 0."""
    ahead = -1  # the loop counts y itself, too
    for j in range(len(scores)):
        ahead += scores[j] >= scores[y] - ROUNDING * max(abs(scores[j]), abs(scores[y]))
    return 1 if ahead >= k else 0


@merged
def _project_violations(work, y, problem):
    """Project the rivals' violations: the offset of the problem is the largest, the rivals hold the differences to it.

    Each rival steps back by its coordinate of the answer, y forward by their sum.
    """
    _, total = many_in_place(work.rivals, problem, work.memory)
    for j in range(len(work.rivals)):
        work.steps[j + (j >= y)] = -work.rivals[j]
    work.steps[y] = total


@inlined_sum
def _copy_and_score(a, x, b):
    """Copy a row to b and return its inner product with x, in one pass over memory; NaN if the row is not in range."""
    number = a.dtype.type
    largest, zero, outside, total = number(LARGEST_NUMBERS[a.itemsize // 8]), number(0), number(0), 0.0
    for e in range(len(x)):
        b[e] = a[e]
        total += a[e] * x[e]
        outside += zero if abs(a[e]) <= largest else number(1)
    return total if outside == 0 else np.nan


@kernel
def update_weights(A, x, y, norm, rule, B):
    """Write the updated weights to B. Returns False if a score or a new weight is not finite."""
    work = _work_for(rule, len(A))
    for j in range(len(A)):
        work.scores[j] = _copy_and_score(A[j], x, B[j])
    outcome, _ = find_steps(work, y, norm, 1.0, rule)
    zero = 0.0
    if outcome == STEP:
        for j in range(len(A)):
            if work.steps[j] != 0:
                for e in range(len(x)):
                    B[j, e] = A[j, e] + work.steps[j] * x[e]
                    zero += B[j, e] - B[j, e]  # NaN if a weight is not finite
    return outcome != OVERFLOW and zero == 0


@kernel
def update_on_each(examples, sample_weight, visiting, steps_before, model, rule, mistakes):
    """Update the model on each example in the given order. Returns the number of updates, or OVERFLOW.

    The mean of the weights after each of T steps is the last weights less weighted_changes / T. Steps are counted from
    `steps_before`.
    """
    updates, work, classes = 0, _work_for(rule, len(model.weights)), np.arange(len(model.weights))
    for s in range(len(visiting)):
        i = visiting[s]
        class_scores(examples.rows, i, model.weights, classes, work.scores)
        norm, label = examples.squared_norms[i], examples.labels[i]
        outcome, mistakes[s] = find_steps(work, label, norm, sample_weight[i], rule)
        if outcome == OVERFLOW:
            return OVERFLOW
        if outcome == STEP:
            updates += 1
            _move_weights(examples, i, model.weights, work.steps, 1.0)
            if model.is_averaged:
                _move_weights(examples, i, model.weighted_changes, work.steps, float(steps_before + s))
    return updates


@kernel
def _move_weights(examples, i, weights, steps, times):
    """Add times * steps[j] * (example i) to row j of the weights."""
    for j in range(len(steps)):
        if steps[j] != 0:
            add_row(examples.rows, i, weights[j], times * steps[j])


# --- what Python calls ---------------------------------------------------------------------------------------------


def rule_of(checked):
    """Returns the checked arguments as the kernels read them: "pa" has neither a radius nor slack."""
    radius = checked.aggressiveness if checked.variant == "pa1" else NO_RADIUS
    hardness = 2 * checked.aggressiveness if checked.variant == "pa2" else np.inf
    return Rule(checked.margin, checked.k, radius, hardness)


def update_in_place(model, steps_before, X, y, *, margin, variant, aggressiveness, k, sample_weight):
    """One pass over the examples in their order, which changes the arrays of a `Model`, float64, in place.

    `steps_before` is the number of steps that the sum for the mean has seen. Returns (mistakes of each step, updates).
    It takes O(entries m), for CSR rows as well. If a weight would be out of the range of the dtype of X, the model
    stays as it was, and a ValueError is raised.
    """
    examples, X = linear_examples(X, y)
    A, norms = model.weights, examples.squared_norms
    checked, s = checks.stream_rule(len(A), norms, margin, variant, aggressiveness, k, sample_weight)
    checks.warn_of_zeros(np.count_nonzero(norms[s > 0] == 0), len(y), checked.margin)
    few = hasattr(X, "tocsr") and X.nnz < A.shape[1]
    changed, arrays = np.unique(X.indices) if few else slice(None), (A, model.weighted_changes)[: 1 + model.is_averaged]
    before, mistakes = [array[:, changed].copy() for array in arrays], np.zeros(len(y), np.int64)
    order, limits = np.arange(len(y)), (np.finfo(X.dtype).max, np.finfo(np.float64).max)[: len(arrays)]
    moved = update_on_each(examples, s, order, steps_before, model, rule_of(checked), mistakes)
    in_range = all(_within(array[:, changed], limit) for array, limit in zip(arrays, limits, strict=True))
    if moved == OVERFLOW or not in_range:
        for array, columns in zip(arrays, before, strict=True):
            array[:, changed] = columns
        raise ValueError(f"weights must stay within the range of {X.dtype}, got weights up to {np.abs(A).max()} before")
    return mistakes, moved


def _within(array, limit):
    """Returns whether no number is NaN or beyond the limit."""
    return not array.size or max(-array.min(), array.max()) <= limit
