"""The arguments of the baselines of top-k SVMs."""

from ....problems import checks


def fit_top_push(X, relevant, regularization, tol, max_iterations, seed, sample_weight, duals, progress):
    """Check the samples and their weights, the options and the duals to start from. Returns the samples."""
    X, relevant = checks.reduced_samples(X, relevant)
    checks.ranking_options(regularization, tol, max_iterations)
    checks.visiting_orders(None, X.shape[0], max_iterations, seed)
    weights = checks.pushing_weights(sample_weight, relevant, X.dtype)
    checks.pushing_duals(duals, relevant, weights)
    checks.flag(progress, "progress")
    return {"X": X, "relevant": relevant}


def fit_svm_perf(X, relevant, k, loss, regularization, tol, max_iterations, seed, sample_weight, duals, progress):
    """Check the samples and their weights, the options, k and the duals to start from. Returns samples and k."""
    X, relevant = checks.reduced_samples(X, relevant)
    checks.ranking_options(regularization, tol, max_iterations)
    weights, k = checks.selecting_weights(sample_weight, k, relevant, X.dtype)
    checks.choice(loss, "loss", ("recall", "precision"))
    checks.visiting_orders(None, X.shape[0], max_iterations, seed)
    checks.selecting_duals(duals, relevant, weights, k)
    checks.flag(progress, "progress")
    return {"X": X, "relevant": relevant, "k": k}
