"""Dual steps of the top-k SVM, as algorithm 1 of 004 makes them: over all classes of an example, or listed ones."""

from typing import NamedTuple

import numpy as np

from .._shared.examples import add_to_listed
from .._shared.jit import borrowing_inlined, borrowing_kernel, merged
from .._shared.order import shuffle
from .biased_projection import ZERO, candidates_within_reach, dual_thresholds
from .dual_lists import store_list, write_all_classes, write_all_duals
from .weights import move_weights, scores_of_classes

LEAST_CURVATURE = np.finfo(np.float64).tiny  # a smaller one cannot be divided by


class TopKLoss(NamedTuple):
    """The top-k hinge: kind and k, the radius of its dual domain, the weights that multiply both, and the smoothing."""

    kind: int
    k: int
    radius: float
    sample_weight: np.ndarray  # (n,)
    smoothing: float = 0.0


class StepMemory(NamedTuple):
    """Memory for what a step of one example computes, for each of m classes or their rivals."""

    scores: np.ndarray
    b: np.ndarray
    candidates: np.ndarray
    changes: np.ndarray
    moved: np.ndarray  # int32


def work_for(m):
    """Returns memory for the steps of an example of m classes."""
    return StepMemory(*(np.empty(m) for _ in range(4)), np.empty(m, np.int32))


class Passes(NamedTuple):
    """At most so many passes, in random order, until one gains at most `goal` times the largest gain of a pass.

    With `all_classes`, there is one pass, over all classes of each example and in the given order.
    """

    all_classes: bool
    most: int
    goal: float


@borrowing_kernel
def visit(examples, lists, weights, loss, rows, passes, seed, largest_gain, work):
    """Passes with one step for each example of `rows`. Returns (seed, the last gain, the largest gain).

    The gain is the first-order one.
    """
    gain = 0.0
    for _ in range(passes.most):
        if not passes.all_classes:
            seed = shuffle(rows, seed)
        gain = 0.0
        for i in rows:
            gain += _visit_example(examples, lists, weights, loss, i, passes.all_classes, work)
        largest_gain = max(gain, largest_gain)
        if gain <= passes.goal * largest_gain:
            break
    return seed, gain, largest_gain


@merged
def _visit_example(examples, lists, weights, loss, i, all_classes, work):
    """A step over the listed classes of one example or over all classes. Returns its first-order gain."""
    m, label, count, start, place = len(work.b), examples.labels[i], lists.counts[i], lists.starts[i], lists.places[i]
    is_list, anew = count < m and not all_classes, count < m and all_classes
    if not is_list:
        place = write_all_classes(lists, label, m)
    if anew:
        start = write_all_duals(lists, i, label, m)
        count = m
    classes, duals = lists.classes[place : place + count], lists.values[start : start + count]
    gain = step(examples, weights, loss, i, classes, duals, work)
    if anew:
        store_list(lists, i, m, work.b, np.inf)
    return gain


@merged
def step(examples, weights, loss, i, classes, duals, work):
    """Maximise the dual over the duals of example i in `classes`, of which the first is its label.

    Returns <change of x, margins>, the first-order gain.
    """
    norm, radius = examples.squared_norms[i], loss.radius * loss.sample_weight[i]
    smoothing_over_radius = loss.smoothing / radius if loss.smoothing > 0 and radius > 0 else 0.0
    if norm + smoothing_over_radius < LEAST_CURVATURE:
        gain = linear_step(duals, loss.k, radius)
    else:
        scores_of_classes(examples.rows, i, weights, classes, work.scores)
        gain, moved = projection_step(classes, duals, norm, smoothing_over_radius, radius, loss.kind, loss.k, work)
        move_weights(examples, i, weights, work, moved)
    return gain


@borrowing_kernel
def projection_step(classes, duals, norm, smoothing_over_radius, radius, kind, k, work):
    """Change the duals by the biased projection of 004, section 3.2.1, given the scores of the classes.

    The dual is less by smoothing_over_radius/2 |x|^2 if the loss is smooth. Without smoothing, this is 0.
    Returns the first-order gain, and how many duals moved: their classes and changes are in `work`.
    """
    b, scores, rivals, curvature = work.b, work.scores, len(classes) - 1, norm + smoothing_over_radius
    own = scores[0] - norm * duals[0]  # the scores without this example's own part of W
    for c in range(rivals):
        b[c] = (1 + scores[c + 1] - norm * duals[c + 1] - own) / curvature
    size = candidates_within_reach(b, rivals, k, radius / k, work.candidates)
    reference, t, u = dual_thresholds(work.candidates, size, kind, k, radius, norm / curvature)
    total, gain, moved, changed, changes = 0.0, 0.0, 0, work.moved, work.changes
    for c in range(rivals):
        x = min(max(b[c] - reference - t, 0.0), u)
        total += x
        change = -x - duals[c + 1]
        if change != 0:
            gain -= change * (1 + scores[c + 1] - scores[0] + smoothing_over_radius * duals[c + 1])
            duals[c + 1] = -x
            changed[moved], changes[moved] = classes[c + 1], change
            moved += 1
    if total != duals[0]:
        changed[moved], changes[moved] = classes[0], total - duals[0]
        duals[0] = total
        moved += 1
    return gain, moved


@borrowing_inlined
def linear_step(duals, k, radius):
    """The step of an example with |x| = 0, without smoothing: a linear programme. Returns the first-order gain.

    The k lowest-indexed rivals at radius/k are an optimal vertex for every kind of loss.
    """
    gain = radius - duals[0]
    for c in range(1, len(duals)):
        duals[c] = -radius / k if c <= k else 0.0
    duals[0] = k * (radius / k)
    return gain


@borrowing_kernel
def add_duals(examples, lists, as_float32, weights, first, last, work):
    """Add W = X' duals to weights of 0, for the classes first..last-1 alone.

    The steps only update W, so that its rounding errors accumulate.
    """
    for i in range(len(lists.counts)):
        count, start, place, label = lists.counts[i], lists.starts[i], lists.places[i], examples.labels[i]
        size, is_complete = ZERO, count == len(work.b)
        for e in range(count):
            if is_complete:  # the classes are not stored
                j = label if e == 0 else e - (e <= label)
            else:
                j = np.int64(lists.classes[place + e])
            if first <= j < last:
                dual = np.float64(np.float32(lists.values[start + e])) if as_float32 else lists.values[start + e]
                if dual != 0:
                    work.moved[size], work.changes[size] = j, dual
                    size += 1
        if examples.by_inner_products or last - first == len(work.b):
            move_weights(examples, i, weights, work, size)
        else:  # other threads write to the weights of the other classes
            add_to_listed(examples.rows, i, weights, work.moved, work.changes, size)


@borrowing_kernel
def smoothing_term(lists, loss, as_float32):
    """Returns sum_i s_i smoothing/2 |u_i|^2 for u_i = x_i / (s_i r): n times what smoothing takes from the dual."""
    total = 0.0
    for i in range(len(lists.counts)):
        start, radius, square = lists.starts[i], loss.radius * loss.sample_weight[i], 0.0
        if radius > 0:
            for e in range(start + 1, start + lists.counts[i]):
                dual = np.float64(np.float32(lists.values[e])) if as_float32 else lists.values[e]
                square += (dual / radius) ** 2
        total += loss.sample_weight[i] * square
    return total * (loss.smoothing / 2)
