"""The kernels of the top-k SVM: dual steps, passes over the examples, and the look at all scores that ends an epoch.

Weights are (m, d): one class a row, so that a step reads and writes contiguous memory, and only of the classes that it
is about. For a kernel fit the "features" of an example are its inner products with all examples, the "weights" are the
duals, transposed, and a step moves a single one of them.
"""

from typing import NamedTuple

import numpy as np

from .._shared.examples import add, class_scores
from .._shared.jit import inlined, kernel
from .dual_step import ALPHA_INCLUSIVE, BETA, largest, thresholds
from .hinge import hinge, rivals_margins


class State(NamedTuple):
    """What is sought: W' = duals' X."""

    duals: np.ndarray  # (n, m)
    weights: np.ndarray  # (m, d)


class Loss(NamedTuple):
    """Which top-k hinge loss, the radius of its dual domain, and by what an example multiplies both."""

    kind: int
    k: int
    radius: float
    sample_weight: np.ndarray


class Shortlist(NamedTuple):
    """The examples that may still move, and for each its own class and the rivals' that may."""

    sizes: np.ndarray  # how many of them, and how many classes in all
    rows: np.ndarray
    starts: np.ndarray
    classes: np.ndarray  # those of example i are classes[starts[i]:starts[i + 1]]


@inlined
def step(examples, state, loss, i, classes, work):
    """The best duals of example i in the given classes; returns <change of x, margins>, the first-order gain."""
    norm, (b, candidates, scores), radius = examples.squared_norms[i], work, loss.radius * loss.sample_weight[i]
    if norm == 0:
        return linear_step(state.duals[i], classes[0], loss.k, radius)
    class_scores(examples, i, state.weights, classes, scores)
    rivals = len(classes) - 1
    own = scores[0] - norm * state.duals[i, classes[0]]  # the scores without this example's own part of W
    for c in range(rivals):
        b[c] = (1 + scores[c + 1] - norm * state.duals[i, classes[c + 1]] - own) / norm
    size = largest(b, rivals, loss.k, radius / loss.k, candidates)
    reference, t, u = thresholds(candidates, size, loss.kind, loss.k, radius)
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
    """Changes one dual, and the weights of its class with it."""
    change = dual - state.duals[i, j]
    state.duals[i, j] = dual
    if examples.by_inner_products:
        state.weights[j, i] += change
    else:
        add(examples, i, state.weights[j], change)


@kernel
def linear_step(duals, label, k, radius):
    """An example without length has no curvature: the k lowest-indexed rivals at radius/k are an optimal vertex."""
    rivals, gain = 0, radius - duals[label]
    for j in range(len(duals)):
        if j != label:
            duals[j] = -radius / k if rivals < k else 0.0
            rivals += 1
    duals[label] = k * (radius / k)
    return gain


@kernel
def one_pass(examples, state, loss, rows, shortlist, classes, work):
    """One step for each example in the given order, over its classes on the shortlist, or all if `classes` has room."""
    gain = 0.0
    for i in rows:
        if len(classes) > 0:
            label = examples.labels[i]
            for j in range(len(classes)):
                classes[j] = j if j > label else j - 1
            classes[0] = label
            gain += step(examples, state, loss, i, classes, work)
        else:
            listed = shortlist.classes[shortlist.starts[i] : shortlist.starts[i + 1]]
            gain += step(examples, state, loss, i, listed, work)
    return gain


@kernel
def recompute_weights(examples, duals, weights):
    """W' = duals' X: W is only ever updated within an epoch, and so drifts."""
    weights[:] = 0.0
    for i in range(len(duals)):
        for j in range(duals.shape[1]):
            if duals[i, j] != 0:
                add(examples, i, weights[j], duals[i, j])


@kernel
def look(examples, duals, scores, first, loss, slack, shortlist):
    """Puts the examples first, first + 1, ..., whose scores are given, on the shortlist; returns their summed losses.

    An example is on it if it has duals, or would have if its margins were larger by `slack`; with it go the classes
    that have a dual or whose margin is at most `slack` below the one at which they would.
    """
    m = scores.shape[1]
    work, total = np.empty((3, m)), 0.0
    margins, b, candidates = work[0], work[1], work[2]
    for p in range(len(scores)):
        i = first + p
        label, norm = examples.labels[i], examples.squared_norms[i]
        rivals_margins(scores[p], label, margins)
        total += loss.sample_weight[i] * hinge(margins, m - 1, loss.kind, loss.k, candidates)
        if norm > 0 and loss.sample_weight[i] > 0:
            radius = loss.radius * loss.sample_weight[i]
            least = _least(duals[i], label, margins, norm, slack, loss, radius, b, candidates)
            _append(shortlist, i, duals[i], label, b, least)
        shortlist.starts[i + 1] = shortlist.sizes[1]
    return total


@kernel
def _least(duals, label, margins, norm, slack, loss, radius, b, candidates):
    """Fills b, as a step does, and returns the least b with which a class is worth a look, inf if none is."""
    rivals = len(duals) - 1
    for c in range(rivals):
        j = c if c < label else c + 1
        b[c] = (margins[c] + norm * (duals[label] - duals[j])) / norm
    size = largest(b, rivals, loss.k, radius / loss.k, candidates)
    if duals[label] == 0:
        # x = 0 is optimal as long as no direction out of the corner of the domain gains anything.
        together = 1 if loss.kind == BETA or loss.k == 1 else loss.k - (loss.kind == ALPHA_INCLUSIVE)
        if candidates[:together].sum() * norm <= -slack * together:
            return np.inf
    reference, t, _ = thresholds(candidates, size, loss.kind, loss.k, radius)
    return min(reference + t - slack / norm, candidates[loss.k - 1])


@kernel
def _append(shortlist, i, duals, label, b, least):
    if least == np.inf:
        return
    shortlist.rows[shortlist.sizes[0]] = i
    shortlist.sizes[0] += 1
    end = shortlist.sizes[1]
    shortlist.classes[end] = label
    end += 1
    for c in range(len(duals) - 1):
        j = c if c < label else c + 1
        if duals[j] != 0 or b[c] >= least:
            shortlist.classes[end] = j
            end += 1
    shortlist.sizes[1] = end
