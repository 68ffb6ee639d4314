"""Checks for the fits of the top-k entropy losses. The duals of the top-k entropy have the domain of "alpha"."""

from typing import NamedTuple

import numpy as np

from .arguments import brief, count, finite_array, nonnegative, positive, real_array
from .results import TruncatedEntropyFit
from .svm import example_weights, svm_options


class TruncatedOptions(NamedTuple):
    """The checked arguments of `fit_truncated_topk_entropy`, without weights to start from."""

    k: int
    regularization: float
    tol: float
    max_iterations: int
    sample_weight: np.ndarray  # (n,)


def entropy_options(n, m, k, regularization, tol, max_epochs, sample_weight):
    """Returns the checked options of `fit_topk_entropy` for n examples of m classes, as SVMOptions."""
    return svm_options(n, m, k, "alpha", regularization, tol, max_epochs, sample_weight)


def truncated_options(n, m, k, regularization, tol, max_iterations, sample_weight):
    """Returns the checked options of `fit_truncated_topk_entropy` for n examples of m classes."""
    k, regularization = count(k, "k", m - 1), positive(regularization, "regularization")
    tol, max_iterations = nonnegative(tol, "tol"), count(max_iterations, "max_iterations")
    return TruncatedOptions(k, regularization, tol, max_iterations, example_weights(sample_weight, n))


def starting_weights(weights, d, m):
    """Returns given weights (d, m) in float64, or None if none are given."""
    if weights is None:
        return None
    weights = finite_array(real_array(weights, "weights", (2,)), "weights").astype(np.float64)
    if weights.shape != (d, m):
        raise ValueError(f"weights must have shape ({d}, {m}), got {brief(weights)}")
    return weights


def stationary_fit(weights, primal, gradient_norm, iterations, options, reached):
    """Returns the TruncatedEntropyFit, and warns if the norm of the gradient is above the tolerance.

    `reached` is the norm before the weights were rounded to float32. There is no warning if that is small enough.
    """
    if not (np.isfinite(primal) and np.isfinite(gradient_norm)):
        raise ValueError(f"regularization must leave the objective in range, got {primal}, gradient {gradient_norm}")
    if not min(gradient_norm, reached) <= options.tol:
        import warnings

        from sklearn.exceptions import ConvergenceWarning

        text = f"gradient norm {gradient_norm:.3g} > tol {options.tol:.3g} after {iterations} iterations"
        warnings.warn(text, ConvergenceWarning, stacklevel=3)
    return TruncatedEntropyFit(weights, float(primal), float(gradient_norm), int(iterations))
