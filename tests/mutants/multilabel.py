"""Wrong versions of the losses, projection and fit of multilabel problems."""

import numpy as np

import reference
from tests.mutants import altered, wrong


@wrong("multilabel_entropy_gradient")
def gradient_of_all_rows(scores, Y):
    """It is not 0 for an example whose classes are all positive."""
    gradient = reference.multilabel_entropy_gradient(scores, Y)
    Y = np.asarray(Y) != 0
    powers = np.exp(scores - np.max(scores, axis=1, keepdims=True))
    every = powers / powers.sum(axis=1, keepdims=True) - 1 / np.shape(scores)[1]
    return np.where(Y.all(axis=1)[:, None], every, gradient).astype(gradient.dtype)


@wrong("multilabel_hinge")
def mean_of_positives(scores, Y, smoothing=0.0):
    """It has the mean score of the positives in place of the lowest one."""
    losses = reference.multilabel_hinge(scores, Y, smoothing)
    Y = np.asarray(Y) != 0
    proper = Y.any(axis=1) & ~Y.all(axis=1)
    mean = np.where(Y, scores, 0).sum(axis=1) / np.maximum(Y.sum(axis=1), 1)
    hinge = np.maximum(0, 1 + np.where(Y, -np.inf, scores).max(axis=1) - mean)
    return np.where(proper & (smoothing == 0), hinge, losses).astype(losses.dtype)


@wrong("multilabel_hinge_gradient")
def negatives_smoothed_alone(scores, Y, smoothing=0.0):
    """It smooths the negatives alone if there is one positive, as the top-1 hinge does."""
    gradient = reference.multilabel_hinge_gradient(scores, Y, smoothing)
    Y = np.asarray(Y) != 0
    for i in np.flatnonzero((Y.sum(axis=1) == 1) & ~Y.all(axis=1) & (smoothing > 0)):
        y = int(Y[i].argmax())
        b = np.delete(1 + scores[i] - scores[i, y], y).astype(np.float64)
        v = reference.project_capped_simplex(b, smoothing, smoothing) / smoothing
        gradient[i] = np.insert(v, y, -v.sum())
    return gradient


# Its steps keep the example's own part in its scores.
own_part_kept = altered("fit_multilabel", "others = scores - squared_norm * row", "others = scores", "certificate")

# Its dual domain has twice the radius.
radius_twice = altered(
    "fit_multilabel", "best, radius = np.zeros(len(scores)), options.radius",
    "best, radius = np.zeros(len(scores)), 2 * options.radius", "certificate"
)

# Its entropy step adds tau to the scores in place of alpha tau.
shares_without_alpha = altered(
    "fit_multilabel", "alpha / member.sum(), _left_end", "1 / member.sum(), _left_end", "certificate"
)

# It always gives both points the full sum.
sign_case_dropped = altered("project_bipartite_simplex", "if w + z > gap:", "if False:")

# It forgets the smoothing in the curvature of a step.
smoothing_forgotten = altered(
    "fit_multilabel", "curvature = squared_norm + options.smoothing / radius", "curvature = squared_norm", "certificate"
)


@wrong("multilabel_error")
def strict_error(scores, Y):
    """It does not count a tie as an error."""
    errors = reference.multilabel_error(scores, Y)
    Y = np.asarray(Y) != 0
    lowest, highest = np.where(Y, scores, np.inf).min(axis=1), np.where(Y, -np.inf, scores).max(axis=1)
    return (highest > lowest).astype(errors.dtype)


@wrong("multilabel_entropy")
def sum_of_positives(scores, Y):
    """It subtracts the sum of the scores of the positives, not their mean."""
    losses = reference.multilabel_entropy(scores, Y)
    Y = np.asarray(Y) != 0
    proper, totals = Y.any(axis=1) & ~Y.all(axis=1), np.where(Y, scores, 0).sum(axis=1)
    return np.where(proper, losses + totals / np.maximum(Y.sum(axis=1), 1) - totals, losses).astype(losses.dtype)


@wrong("project_bipartite_simplex")
def sums_apart(b, c, radius=1.0):
    """It projects each point alone, onto a sum of at most the radius."""
    reference.project_bipartite_simplex(b, c, radius)  # for its errors
    return tuple(reference.project_capped_simplex(a, radius, radius) for a in (b, c))


# It has no answer 0.
zero_case_dropped = altered(
    "project_bipartite_simplex", "if radius == 0 or gap <= 0:", "gap = abs(gap)\n    if radius == 0:"
)
