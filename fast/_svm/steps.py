"""Dual steps of the top-k SVM over all classes of an example, as algorithm 1 of 004 makes them.

Weights are (m, d), one row a class, so that a step touches contiguous memory, and only the rows of its classes. In a
kernel fit, the "features" of an example are its inner products with all examples, and the "weights" are the transposed
duals. A step then changes a single entry of a row.
"""

from typing import NamedTuple

import numpy as np

from .._shared.examples import add_row, class_scores
from .._shared.jit import inlined, kernel
from .dual_step import candidates_within_reach, dual_thresholds


class DualState(NamedTuple):
    """What the ascent changes: the duals, and the weights W' = duals' X that belong to them."""

    duals: np.ndarray  # (n, m)
    weights: np.ndarray  # (m, d)


class TopKLoss(NamedTuple):
    """The top-k hinge loss: its kind and k, the radius of its dual domain, and the weights that multiply both."""

    kind: int
    k: int
    radius: float
    sample_weight: np.ndarray  # (n,)


@kernel
def visit_all(examples, state, loss, rows):
    """One step over all classes for each example, in the order of `rows`."""
    m = state.duals.shape[1]
    classes, work = np.empty(m, np.int32), (np.empty(m), np.empty(m), np.empty(m))
    for i in rows:
        label = examples.labels[i]
        for j in range(m):
            classes[j] = j if j > label else j - 1
        classes[0] = label
        step(examples, state, loss, i, classes, work)


@inlined
def step(examples, state, loss, i, classes, work):
    """Maximise the dual over the duals of example i in `classes`, of which the first is its label.

    Returns <change of x, margins>, the first-order gain.
    """
    norm, (b, candidates, scores), radius = examples.squared_norms[i], work, loss.radius * loss.sample_weight[i]
    if norm == 0:
        return linear_step(state.duals[i], classes[0], loss.k, radius)
    class_scores(examples.rows, i, state.weights, classes, scores)
    rivals = len(classes) - 1
    own = scores[0] - norm * state.duals[i, classes[0]]  # the scores without this example's own part of W
    for c in range(rivals):
        b[c] = (1 + scores[c + 1] - norm * state.duals[i, classes[c + 1]] - own) / norm
    size = candidates_within_reach(b, rivals, loss.k, radius / loss.k, candidates)
    reference, t, u = dual_thresholds(candidates, size, loss.kind, loss.k, radius)
    total, gain = 0.0, 0.0
    for c in range(rivals):
        x = min(max(b[c] - reference - t, 0.0), u)
        total += x
        change = -x - state.duals[i, classes[c + 1]]
        if change != 0:
            gain -= change * (1 + scores[c + 1] - scores[0])
            set_dual(examples, state, i, classes[c + 1], -x)
    if total != state.duals[i, classes[0]]:
        set_dual(examples, state, i, classes[0], total)
    return gain


@inlined
def set_dual(examples, state, i, j, dual):
    """Set one dual, and update the weights of its class."""
    change = dual - state.duals[i, j]
    state.duals[i, j] = dual
    if examples.by_inner_products:
        state.weights[j, i] += change
    else:
        add_row(examples.rows, i, state.weights[j], change)


@kernel
def linear_step(duals, label, k, radius):
    """The step of an example with |x| = 0: a linear programme. Returns the first-order gain.

    The k lowest-indexed rivals at radius/k are an optimal vertex for every kind of loss.
    """
    rivals, gain = 0, radius - duals[label]
    for j in range(len(duals)):
        if j != label:
            duals[j] = -radius / k if rivals < k else 0.0
            rivals += 1
    duals[label] = k * (radius / k)
    return gain


@kernel
def recompute_weights(examples, duals, weights):
    """Write W' = duals' X. The steps only update W, so that its rounding errors accumulate."""
    weights[:] = 0.0
    for i in range(len(duals)):
        for j in range(duals.shape[1]):
            if duals[i, j] != 0:
                add_row(examples.rows, i, weights[j], duals[i, j])
