"""A step along the gradient from W = 0, for strong regularization: it costs less than a pass, and may be all it takes.

The duals at W = 0 are A(0), in the notation of `newton_cg`, with shares of 1/m. Their weights G are minus the gradient
of the primal, in units of lambda. Let b(t) = <G, W(A(tG))>. It decreases, and the primal has the slope t b(0) - b(t)
along G. If b were linear, the primal would be least at t = 1 / (2 - b(1)/b(0)). The duals of the answer are A(tG).

The gap of A(W) is about <g, (H - I) g> / 2 with the gradient g, where P(W) - D(A(W)) = |g|^2 / 2 and H is the Hessian,
all in units of lambda. So it is P - D times the curvature of the losses along g. That along G is 1/t - 1.
"""

import numpy as np

from ..._shared.threads import MOST_NUMBERS, ranges
from ..sdca_step import work_for
from .newton_cg import gradient_duals

# The mean curvature of the losses, in units of lambda, up to which the step is made. For more, passes gain more.
MOST_CURVATURE = 0.25
EXAMPLES_OF_SEARCH = 512  # so many are enough to find t
MOST_RELATIVE_CURVATURE = 2.0  # of the losses, along g over that along G


def bends_little(model, options):
    """Returns whether the losses bend the primal so little that the step should be made."""
    curvature = np.vdot(options.radius * options.sample_weight, model.examples.squared_norms)
    return model.is_linear and curvature <= MOST_CURVATURE * model.X.shape[1] * model.m


def step_along_gradient(model, options):
    """Set the duals to A(tG), and the weights to theirs. Returns (the dual, the estimated gap, relative)."""
    radius, labels = options.radius * options.sample_weight, model.examples.labels
    G = _first_gradient(model, radius)
    square = np.vdot(G, G)
    some = slice(None, None, -(-len(labels) // EXAMPLES_OF_SEARCH))
    t = _length(np.asarray(model.X[some] @ G.T, np.float64), labels[some], radius[some], options.k)
    duals, W, work, loss, entropy = model.duals.rows, (t * G).T, work_for(model.m), 0.0, 0.0
    for rows in (slice(*part) for part in ranges(len(labels), max(MOST_NUMBERS // model.X.shape[1], 1))):
        duals[rows] = model.X[rows] @ W
        of_rows = gradient_duals(duals[rows], labels[rows], radius[rows], options.k, np.empty(len(labels[rows])), work)
        loss, entropy = loss + of_rows[0], entropy + of_rows[1]
    model.recompute_weights(as_returned=False)
    primal, dual = loss + t * t * square / 2, entropy - model.squared_norm_now() / 2
    gap = MOST_RELATIVE_CURVATURE * (1 / t - 1) * (primal - dual) / primal if primal > 0 else 0.0
    return options.regularization * dual, gap


def _first_gradient(model, radius):
    """Returns G (m, d): the sums of r_i x_i over the examples of each class, less the mean of all classes."""
    from scipy import sparse

    n, m = len(radius), model.m
    sums = sparse.csr_array((radius, (model.examples.labels, np.arange(n))), shape=(m, n)) @ model.X
    sums = sums.toarray() if hasattr(sums, "tocsr") else sums
    return sums - sums.sum(axis=0) / m


def _length(scores, labels, radius, k):
    """Returns t, from the scores of some examples at G."""
    products, work, curvature = [], work_for(scores.shape[1]), np.empty(len(labels))
    for t in (0.0, 1.0):
        duals = t * scores
        gradient_duals(duals, labels, radius, k, curvature, work)
        products.append(np.vdot(duals, scores))
    return 1 / (2 - products[1] / products[0]) if products[0] > 0 else 1.0
