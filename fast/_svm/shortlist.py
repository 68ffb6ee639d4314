"""Shrinking: the examples that may still move, each with its classes that may, and passes over these duals only.

The shortlist is filled from the scores of all examples, which each epoch computes for its certificate anyway.
"""

from typing import NamedTuple

import numpy as np

from .._shared.jit import kernel
from .dual_step import candidates_within_reach, dual_thresholds
from .hinge import ALPHA_INCLUSIVE, BETA, hinge, rivals_margins
from .steps import step

# How far, in units of the margin, a class may be from having a dual and still be listed. A pass changes the scores, and
# a class that is not listed cannot move before the next look at all examples.
SLACK = 0.1


class Shortlist(NamedTuple):
    """The first sizes[0] of `rows` are the examples; classes[starts[i]:starts[i + 1]] are those of example i.

    The first class of an example is its label, the others are rivals. The classes take up sizes[1] places in all.
    """

    sizes: np.ndarray  # (2,)
    rows: np.ndarray  # (n,)
    starts: np.ndarray  # (n + 1,)
    classes: np.ndarray  # (n m,)


def empty_shortlist(n, m):
    """A shortlist with room for n examples of m classes."""
    return Shortlist(np.zeros(2, np.int64), np.empty(n, np.int64), np.zeros(n + 1, np.int64), np.empty(n * m, np.int32))


@kernel
def dual_pass(examples, state, loss, shortlist, rows, work):
    """One step over its listed classes for each example, in the order of `rows`. Returns the first-order gain."""
    gain = 0.0
    for i in rows:
        listed = shortlist.classes[shortlist.starts[i] : shortlist.starts[i + 1]]
        gain += step(examples, state, loss, i, listed, work)
    return gain


@kernel
def list_examples(examples, duals, scores, first, loss, shortlist):
    """Append to the shortlist from the examples first, first + 1, ..., with these scores. Returns their total loss.

    An example is listed if it has duals, or would have some if its margins were larger by SLACK. Its listed classes
    are those that have a dual, and those whose margin is at most SLACK below the one at which they would have one.
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
            least = _least_listed(duals[i], label, margins, norm, loss, radius, b, candidates)
            if least != np.inf:
                _append(shortlist, i, duals[i], label, b, least)
        shortlist.starts[i + 1] = shortlist.sizes[1]
    return total


@kernel
def _least_listed(duals, label, margins, norm, loss, radius, b, candidates):
    """Fill b as a step does. Returns the least b of a class that is listed, or inf if the example is not listed."""
    rivals = len(duals) - 1
    for c in range(rivals):
        j = c if c < label else c + 1
        b[c] = (margins[c] + norm * (duals[label] - duals[j])) / norm
    size = candidates_within_reach(b, rivals, loss.k, radius / loss.k, candidates)
    if duals[label] == 0:
        # x = 0 is optimal if no direction into the domain increases the dual. The steepest of them raises this many
        # rivals together, and its slope is the sum of their margins.
        together = 1 if loss.kind == BETA or loss.k == 1 else loss.k - (loss.kind == ALPHA_INCLUSIVE)
        if candidates[:together].sum() * norm <= -SLACK * together:
            return np.inf
    reference, t, _ = dual_thresholds(candidates, size, loss.kind, loss.k, radius)
    return min(reference + t - SLACK / norm, candidates[loss.k - 1])


@kernel
def _append(shortlist, i, duals, label, b, least):
    """List example i, with its label and the rivals that have a dual or a b of at least `least`."""
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
