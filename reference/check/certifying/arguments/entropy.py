"""The arguments of the top-k entropy losses and their fits."""

from ....problems import checks


def _scores(scores, y, k):
    """Check the scores, the labels and k in 1..m-1. Returns all three."""
    scores, y = checks.scores_and_labels(scores, y)
    return {"scores": scores, "y": y, "k": checks.count(k, "k", scores.shape[1] - 1)}


def topk_entropy(scores, y, k):
    """Check what `_scores` checks."""
    return _scores(scores, y, k)


def topk_entropy_gradient(scores, y, k):
    """Check what `_scores` checks."""
    return _scores(scores, y, k)


def truncated_topk_entropy(scores, y, k):
    """Check what `_scores` checks."""
    return _scores(scores, y, k)


def truncated_topk_entropy_gradient(scores, y, k):
    """Check what `_scores` checks."""
    return _scores(scores, y, k)


def fit_topk_entropy(X, y, **options):
    """Check the features, the labels and what `_fit` checks. Returns features and labels."""
    X, y, m = checks.features_and_labels(X, y, sparse=True)
    _fit(y, m, **options)
    return {"X": X, "y": y}


def fit_topk_entropy_kernel(K, y, **options):
    """Check the Gram matrix, the labels and what `_fit` checks. Returns matrix and labels."""
    K, y, m = checks.gram_and_labels(K, y)
    _fit(y, m, **options)
    return {"K": K, "y": y}


def fit_truncated_topk_entropy(X, y, k, regularization, tol, max_iterations, sample_weight, weights, progress):
    """Check the features, the labels, the options and the weights to start from. Returns features and labels."""
    X, y, m = checks.features_and_labels(X, y, sparse=True)
    checks.truncated_options(X.shape[0], m, k, regularization, tol, max_iterations, sample_weight)
    checks.starting_weights(weights, X.shape[1], m)
    checks.flag(progress, "progress")
    return {"X": X, "y": y}


def _fit(y, m, k, regularization, tol, max_epochs, order, seed, sample_weight, duals, n_jobs, progress):
    """Check the problem, the visiting order, the duals to start from, the flag and the number of threads."""
    options = checks.entropy_options(len(y), m, k, regularization, tol, max_epochs, sample_weight)
    checks.visiting_orders(order, len(y), max_epochs, seed)
    checks.starting_duals(duals, y, m, options)
    checks.thread_count(n_jobs)
    checks.flag(progress, "progress")
