"""fit_direct_loss that returns the weights after the last step instead of those with the smallest loss."""

import numpy as np

import reference

FUNCTION = "fit_direct_loss"
REASON = "differs from the ground truth"


def fit_direct_loss(X, relevant, *, max_iterations=100, weights=None, **options):
    right = reference.fit_direct_loss(X, relevant, max_iterations=max_iterations, weights=weights, **options)
    last, before = None, weights
    for _ in range(max_iterations):  # one step, after which the second loss is either better or not
        last = _after_one_step(X, relevant, before, **options)
        before = last
    return right._replace(weights=last.astype(right.weights.dtype))


def _after_one_step(X, relevant, weights, *, groups=None, loss="ap", epsilon=0.1, step_size=1.0):
    from reference import ranking_learners
    from reference.problems import checks

    X, relevant, rows, starts = checks.sorted_groups(X, relevant, groups)
    samples = [(here[relevant[here]], here[~relevant[here]]) for here in np.split(rows, starts[1:-1])]
    start = ranking_learners._difference_of_means(X, samples) if weights is None else np.asarray(weights, np.float64)
    loss = checks.qs_loss(loss, reference.ranking.LOSSES)
    return start - step_size / epsilon * (X.T @ ranking_learners._direct_step(X @ start, samples, loss, epsilon)[1])
