"""The arguments of top-k losses and top-k SVMs."""

from ....problems import checks


def topk_error(scores, y, k):
    """Check the scores, the labels and k in 1..m. Returns all three."""
    scores, y = checks.scores_and_labels(scores, y)
    return {"scores": scores, "y": y, "k": checks.count(k, "k", scores.shape[1])}


def topk_hinge(scores, y, k, kind, smoothing):
    """Check the scores, the labels, k in 1..m-1, the kind and the smoothing. Returns all of them."""
    scores, y = checks.scores_and_labels(scores, y)
    k, kind, smoothing = checks.topk_loss(k, kind, smoothing, scores.shape[1])
    return {"scores": scores, "y": y, "k": k, "kind": kind, "smoothing": smoothing}


def topk_hinge_gradient(scores, y, k, kind, smoothing):
    """Check the arguments of `topk_hinge`. Returns all of them."""
    return topk_hinge(scores, y, k, kind, smoothing)


def fit_topk_svm(X, y, sparse_duals, progress, **options):
    """Check the features, the labels and what `_fit` checks. Returns features and labels."""
    X, y, m = checks.features_and_labels(X, y, sparse=True)
    _fit(y, m, sparse_duals, progress, **options)
    return {"X": X, "y": y}


def fit_topk_svm_kernel(K, y, sparse_duals, progress, **options):
    """Check the Gram matrix, the labels and what `_fit` checks. Returns matrix and labels."""
    K, y, m = checks.gram_and_labels(K, y)
    _fit(y, m, sparse_duals, progress, **options)
    return {"K": K, "y": y}


def fit_topk_svm_parts(
    X, y, parts, max_rounds, local_epochs, sigma, combine, gather, seed, sparse_duals, progress, **options
):  # fmt: skip
    """Check the examples, the parts, the rule of the rounds and what `_fit` checks. Returns X, y and parts."""
    X, y, m = checks.features_and_labels(X, y, sparse=True)
    rule = checks.parts_rule(max_rounds, local_epochs, sigma, combine, gather, seed)
    parts = checks.parts_of(parts, len(y), seed)
    _fit(y, m, sparse_duals, progress, order=None, seed=seed, max_epochs=rule.max_rounds, **options)
    return {"X": X, "y": y, "parts": parts}


def _fit(y, m, sparse_duals, progress, order, seed, duals, n_jobs, **problem):
    """Check the problem, the visiting order, the duals to start from, the flags and the number of threads."""
    options = checks.svm_options(len(y), m, **problem)
    checks.visiting_orders(order, len(y), options.max_epochs, seed)
    for _ in checks.dual_chunks(duals, y, m, options):
        pass  # a chunk is checked when it is taken
    checks.flag(sparse_duals, "sparse_duals")
    checks.thread_count(n_jobs)
    checks.flag(progress, "progress")
