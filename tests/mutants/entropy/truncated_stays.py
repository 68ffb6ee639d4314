"""fit_truncated_topk_entropy that stays where it starts, and says that it has converged."""

import reference

FUNCTION = "fit_truncated_topk_entropy"
REASON = "certificate"


def fit_truncated_topk_entropy(X, y, *, k=1, regularization, tol=1e-6, max_iterations=1000, weights=None):
    options = {"k": k, "regularization": regularization, "tol": tol}
    fit = reference.fit_truncated_topk_entropy(X, y, **options, max_iterations=max_iterations, weights=weights)
    start = reference.fit_topk_entropy(X, y, k=k, regularization=regularization)
    return fit._replace(weights=start.weights, gradient_norm=0.0)
