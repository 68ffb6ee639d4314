"""Wrong versions of the top-k entropy, its gradients and its fits."""

import numpy as np

import reference
from tests.mutants import altered, changed, wrong


def stopped(copy, X, y, max_epochs=1000, **options):
    """Returns the fit of a copy of the module after 30 epochs, when the gap of the right function is smaller."""
    copy.checks.count(max_epochs, "max_epochs")
    return copy.fit_topk_entropy(X, y, max_epochs=min(max_epochs, 30), **options)


@wrong("fit_topk_entropy", "certificate")
def curvature_forgotten(X, y, **options):
    """Its step forgets alpha: the row of duals becomes the gradient at the scores without it."""
    return stopped(changed("entropy_fits", "if alpha == 0:", "if alpha >= 0:"), X, y, **options)


# It computes 1 - sigma by subtraction, and has no digits for an example that is misclassified clearly.
difference_from_one = altered(
    "topk_entropy", 'return checks.in_range(np.logaddexp(0, values), scores.dtype, "the loss")',
    "return (-np.log(1 - 1 / (1 + np.exp(-values)))).astype(scores.dtype)", "not finite"
)


@wrong("topk_entropy_gradient")
def gradient_of_rivals(scores, y, k=1):
    """It forgets the true class."""
    return np.maximum(reference.topk_entropy_gradient(scores, y, k), 0)


# It forgives, of rivals with equal scores, those with the highest index.
kink_forgives_the_last = altered(
    "truncated_topk_entropy_gradient",
    'np.argsort(-h, axis=1, kind="stable")', 'np.argsort(h, axis=1, kind="stable")[:, ::-1]'
)


@wrong("truncated_topk_entropy")
def one_more_forgiven(scores, y, k=1):
    """It forgives k rivals instead of k-1, if there are enough."""
    right = reference.truncated_topk_entropy(scores, y, k)
    return reference.truncated_topk_entropy(scores, y, min(k + 1, np.shape(scores)[1] - 1)).astype(right.dtype)


# Its cap is 1/k instead of sigma/k: the domain of "beta".
own_share_uncapped = altered(
    "fit_topk_entropy_kernel", "log_rest[0] <= log_sigma - np.log(k)", "log_rest[0] <= -np.log(k)", "certificate"
)


RIGHT = """alpha * (1 + g / k**2)
    log_w = -share * t + square * sigma - z[:g].sum() / k + g / k * (log_sigma - np.log(k))
    slope_w = -share + (square * sigma + g / k) * slope"""
PRINTED = """alpha * (1 + g / k)
    log_w = -(1 - g) * t + square * sigma - z[:g].sum() / k + g * (log_sigma - np.log(k))
    slope_w = -(1 - g) + (square * sigma + g) * slope"""


@wrong("fit_topk_entropy", "certificate")
def printed_step(X, y, **options):
    """It takes the step of the authors' library: |U| in its second equation, where |U|/k is right.

    The share |U|/k is in three terms of the equation, and in the slopes of these. In the first equation it stays.
    """
    return stopped(changed("entropy_fits", RIGHT, PRINTED), X, y, **options)


@wrong("fit_truncated_topk_entropy", "certificate")
def truncated_stays(X, y, *, k=1, regularization, **options):
    """It stays where it starts, and says that it has converged."""
    fit = reference.fit_truncated_topk_entropy(X, y, k=k, regularization=regularization, **options)
    start = reference.fit_topk_entropy(X, y, k=k, regularization=regularization)
    return fit._replace(weights=start.weights, gradient_norm=0.0)
