"""Shrinking: which duals may still move. Those of each example are listed when all its scores are known.

Each epoch computes the scores of all examples for its certificate anyway.
"""

import numpy as np

from .._shared.jit import borrowing_inlined, borrowing_kernel
from .._shared.order import heap_of_largest
from .biased_projection import candidates_within_reach, dual_thresholds, smooth_hinge
from .dual_lists import store_list, write_all_classes, write_all_duals
from .hinge import ALPHA_INCLUSIVE, BETA, hinge, rivals_margins

# How far, in units of the margin, a class may be from having a dual and still be listed. A pass changes the scores, and
# a class that is not listed cannot move before the next look at all examples.
SLACK = 0.1
# While the weights are poor, nearly all classes are that near. Then the nearest are listed: FEWEST of them, or so many
# for each of the k rivals of the loss, or for each class that has a dual.
FEWEST, FEWEST_OF_K, FEWEST_OF_DUALS = 16, 4, 2


def most_listed(loss):
    """Returns how many classes of an example without a dual are listed at most, see `look`."""
    return max(FEWEST, FEWEST_OF_K * loss.k)


@borrowing_kernel
def look(examples, lists, scores, first, loss, most, work):
    """Returns the total hinge of the examples first, first + 1, ..., with these scores, if the loss is the hinge.

    If most > 0, lists their duals anew.

    An example is listed if it has duals, or would have some if its margins were larger by SLACK. Its listed classes
    are those that have a dual, and those whose margin is at most SLACK below the one at which they would have one. If
    the latter are many, they are the nearest ones: `most` of them, or twice as many as have a dual.
    """
    m, total, margins = scores.shape[1], 0.0, work.scores
    for p in range(len(scores)):
        i = first + p
        label, norm, weight = examples.labels[i], examples.squared_norms[i], loss.sample_weight[i]
        rivals_margins(scores[p], label, margins)
        if loss.smoothing == 0:
            total += weight * hinge(margins, m - 1, loss.kind, loss.k, work.candidates)
        if most > 0 and norm > 0 and weight > 0:
            write_all_classes(lists, label, m)
            start = write_all_duals(lists, i, label, m)
            least = _least_listed(lists.values[start : start + m], norm, loss, loss.radius * weight, work)
            if most < m - 1 and least < np.inf:
                least = max(least, _least_of_most(lists.values[start : start + m], most, work))
            store_list(lists, i, m, work.b, least)
    return total


@borrowing_kernel
def smooth_total(examples, scores, first, loss, work):
    """Returns the total smooth loss of the same examples. It is not in `look`, so that hinges need not compile it."""
    m, total, margins = scores.shape[1], 0.0, work.scores
    for p in range(len(scores)):
        rivals_margins(scores[p], examples.labels[first + p], margins)
        value = smooth_hinge(margins, m - 1, loss.kind, loss.k, loss.smoothing, work.candidates)
        total += loss.sample_weight[first + p] * value
    return total


@borrowing_inlined
def _least_of_most(duals, most, work):
    """Returns the least of the largest b: `most` of them, or twice as many as have a dual."""
    having = 0
    for c in range(1, len(duals)):
        having += duals[c] != 0
    top = work.changes[: min(max(most, FEWEST_OF_DUALS * having), len(duals) - 1)]
    heap_of_largest(work.b, len(duals) - 1, top)
    return top[0]


@borrowing_inlined
def _least_listed(duals, norm, loss, radius, work):
    """Fill b as a step does. Returns the least b of a rival that is listed, or inf if the example is not listed."""
    margins, b, candidates = work.scores, work.b, work.candidates
    rivals, curvature = len(duals) - 1, norm + (loss.smoothing / radius if loss.smoothing > 0 else 0.0)
    for c in range(rivals):
        b[c] = (margins[c] + norm * (duals[0] - duals[c + 1])) / curvature
    size = candidates_within_reach(b, rivals, loss.k, radius / loss.k, candidates)
    if duals[0] == 0:
        # x = 0 is optimal if no direction into the domain increases the dual. The steepest of them raises this many
        # rivals together, and its slope is the sum of their margins.
        together = 1 if loss.kind == BETA or loss.k == 1 else loss.k - (loss.kind == ALPHA_INCLUSIVE)
        slope = 0.0
        for c in range(together):
            slope += candidates[c]
        if slope * curvature <= -SLACK * together:
            return np.inf
    reference, t, _ = dual_thresholds(candidates, size, loss.kind, loss.k, radius, norm / curvature)
    return min(reference + t - SLACK / curvature, candidates[loss.k - 1])
