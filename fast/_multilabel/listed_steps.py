"""Passes over the listed duals of the hinge: one step for each example, over its listed classes alone."""

import numpy as np

from .._shared.bipartite import bipartite_depths
from .._shared.examples import add_to_listed, listed_scores
from .._shared.jit import borrowing_inlined, borrowing_kernel


@borrowing_kernel
def pass_over_lists(problem, lists, weights, order, work):
    """One step for each listed example, in this order of the lists. Returns the first-order gain of all."""
    gain = 0.0
    for p in order:
        start, end, i = lists.starts[p], lists.starts[p + 1], lists.rows[p]
        classes, duals, rows = lists.classes[start:end], lists.values[start:end], problem.examples.rows
        listed_scores(rows, i, weights, classes, work.scores)
        norm, radius = problem.examples.squared_norms[i], problem.radii[i]
        gain += _project_listed(
            duals, lists.positives[p], norm, problem.smoothing / radius, radius, work.changes, work
        )  # fmt: skip
        add_to_listed(rows, i, weights, classes, work.changes, len(classes))
    return gain


@borrowing_inlined
def _project_listed(duals, positives, norm, smoothing_over_radius, radius, changes, work):
    """Change the duals of an example to the best ones, given the scores of their classes. Returns the gain."""
    near, scores, curvature, b_most, c_most = work.near, work.scores, norm + smoothing_over_radius, -np.inf, -np.inf
    for c in range(len(duals)):
        near[c] = (scores[c] - norm * duals[c]) / curvature
        if c < positives:
            near[c] = -near[c]
            b_most = max(b_most, near[c])
        else:
            c_most = max(c_most, near[c])
    gap, w, z, gain = (c_most + b_most) + 1 / curvature, 0.0, 0.0, 0.0
    for c in range(len(duals)):
        if c < positives:
            near[c] -= b_most
            work.b[c] = near[c]
        else:
            near[c] -= c_most
            work.c[c - positives] = near[c]
    if gap > 0:
        w, z = bipartite_depths(work.b, positives, work.c, len(duals) - positives, radius, gap)
    for c in range(len(duals)):
        best, slope = 0.0, 0.5 if c < positives else -0.5
        if gap > 0:
            best = max(near[c] + w, 0.0) if c < positives else -max(near[c] + z, 0.0)
        changes[c] = best - duals[c]
        gain += changes[c] * (slope - scores[c] - smoothing_over_radius * duals[c])
        duals[c] = best
    return gain
