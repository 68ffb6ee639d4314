"""Kernels of the top-k SVM: inner products of examples, by name or by a function, and the width of rbf."""

import numpy as np
from scipy import sparse
from sklearn.metrics.pairwise import rbf_kernel

KERNELS = ("linear", "rbf", "precomputed")


def inner_products(kernel, X, others, gamma):
    """Returns the inner products (n, len(others)), by rbf or by a function, whose result is checked."""
    if not callable(kernel):
        return rbf_kernel(X, others, gamma=gamma)
    K = np.asarray(kernel(X, others))
    if K.shape != (X.shape[0], others.shape[0]) or K.dtype.kind not in "biuf" or not np.isfinite(K).all():
        expected = f"finite numbers of shape {(X.shape[0], others.shape[0])}"
        raise ValueError(f"kernel must return {expected}, got {K.dtype} of shape {K.shape}")
    return K.astype(X.dtype, copy=False)


def rbf_gamma(gamma, X, rows):
    """Returns gamma of rbf as a number: "auto" is 1 / d, "scale" 1 / (d variance of X, with weights `rows` or None)."""
    d = X.shape[1]
    if gamma == "auto":
        return 1 / d
    if gamma != "scale":
        return float(gamma)
    mean = _mean_entry(X, rows)
    # For a dense X the mean is subtracted first: far from 0, the difference of two large numbers would cancel.
    variance = _mean_entry(X.multiply(X), rows) - mean**2 if sparse.issparse(X) else _mean_entry((X - mean) ** 2, rows)
    return 1 / (d * variance) if variance > 0 else 1.0


def _mean_entry(X, rows):
    """Returns the mean of all entries of X, in which the rows have the weights `rows`."""
    sums = np.asarray(X.sum(axis=1, dtype=np.float64)).ravel()
    return float(np.average(sums, weights=rows)) / X.shape[1]
