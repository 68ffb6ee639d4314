"""The primal problem of the top-k entropy as a conic programme for CVXPY, and the step of one example by bisection.

Slow and obviously right, for some dozens of examples. `reference.entropy_fits` explains the arguments.

The cap in the definition of the loss has multipliers mu >= 0. By duality, the loss is the minimum over mu of
``log(1 + sum_j exp(h_j - mu_j + (sum mu) / k))``, which the exponential cone represents.
"""

import numpy as np
from scipy.special import wrightomega

from ..problems import checks
from ._solver import cp, solve

HALVINGS = 200  # of the bracket of a threshold, which is then as short as rounding allows


def fit_topk_entropy(X, y, *, k=1, regularization, sample_weight=None):
    """``argmin_W regularization/2 |W|^2 + mean loss``. Returns (W, the minimum)."""
    X, y, m = checks.features_and_labels(X, y)
    k, regularization = checks.count(k, "k", m - 1), checks.positive(regularization, "regularization")
    s = checks.example_weights(sample_weight, len(y))
    return _minimise(X.astype(np.float64), y, m, k, regularization, s)


def fit_topk_entropy_kernel(K, y, *, k=1, regularization, sample_weight=None):
    """The same problem, given the inner products K of the examples. Returns (scores (n, m), the minimum).

    The rows of F, with K = F F', are features with these inner products. The scores F W are unique, because W is.
    """
    K, y, m = checks.gram_and_labels(K, y)
    k, regularization = checks.count(k, "k", m - 1), checks.positive(regularization, "regularization")
    s = checks.example_weights(sample_weight, len(y))
    values, vectors = np.linalg.eigh(K.astype(np.float64))
    features = vectors * np.sqrt(np.maximum(values, 0))
    weights, primal = _minimise(features, y, m, k, regularization, s)
    return features @ weights, primal


def _minimise(X, y, m, k, regularization, sample_weight):
    # The solver's tolerances are absolute, so it is given features of size 1. This only changes the units of W.
    unit = np.abs(X).max() or 1.0
    W = cp.Variable((X.shape[1], m))
    total = sample_weight @ losses((X / unit) @ W, y, m, k)
    squared = cp.sum_squares(W) / unit**2
    solve(cp.Problem(cp.Minimize(regularization / 2 * squared + total / len(y))))
    weights = W.value / unit
    return weights, regularization / 2 * np.sum(weights**2) + total.value / len(y)


def losses(scores, y, m, k):
    """Returns the top-k entropies of scores, one entry an example, as an expression of CVXPY."""
    own = np.arange(m) == y[:, None]
    h = scores - cp.sum(cp.multiply(own, scores), axis=1, keepdims=True) @ np.ones((1, m))
    mu = cp.Variable((len(y), m), nonneg=True)
    others = cp.multiply(~own, mu)
    lifted = h - others + cp.multiply(~own, cp.sum(others, axis=1, keepdims=True) @ np.ones((1, m))) / k
    return cp.log_sum_exp(lifted, axis=1)


def best_shares(h, alpha, k):
    """``argmax_u <h, u> + H(u) - alpha/2 (|u|^2 + sigma^2)  subject to  0 <= u_j <= sigma/k, sigma = sum u <= 1``.

    H(u) = -sum_j u_j log u_j - (1-sigma) log(1-sigma). For a given sigma, the problem of u alone is concave, and its
    maximum is concave in sigma. Its slope in sigma is the multiplier of the sum, plus what raising all caps by a k-th
    gains. Both unknowns are found by bisection: the multiplier inside, and sigma, by its logit, outside.
    """
    low, high = -1e3, 1e3  # of the logit of sigma
    for _ in range(HALVINGS):
        logit = (low + high) / 2
        slope, u = _slope(h, alpha, k, logit)
        if not low < logit < high:
            break
        low, high = (logit, high) if slope > 0 else (low, logit)
    return u


def _slope(h, alpha, k, logit):
    """Returns (the slope of the maximum in sigma, the maximiser u)."""
    log_sigma, log_w = -np.logaddexp(0, -logit), -np.logaddexp(0, logit)
    cap = log_sigma - np.log(k)
    low, high = h.min() - alpha - 1e3, h.max() + 2e3
    for _ in range(HALVINGS):
        t = (low + high) / 2
        logs = np.minimum(_log_shares(h - t, alpha), cap)
        if not low < t < high:
            break
        low, high = (t, high) if np.logaddexp.reduce(logs) > log_sigma else (low, t)
    at_cap = h - t - np.exp(cap) * alpha - cap
    return t + log_w - alpha * np.exp(log_sigma) + at_cap[at_cap > 0].sum() / k, np.exp(logs)


def _log_shares(slopes, alpha):
    """Returns log u with log u + alpha u = slope."""
    x = slopes + np.log(alpha)
    return x - wrightomega(x).real - np.log(alpha)
