"""Features: the checks of examples, the feature of ones whose weight is the intercept, and kernels of examples."""

import numpy as np
from scipy import sparse
from sklearn.base import ClassifierMixin
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.utils.validation import check_is_fitted, validate_data

from .._shared.examples import row_products
from ._labels import check_label_types

FLOATS = [np.float64, np.float32]  # X keeps these dtypes; any other is converted to the first
KERNELS = ("linear", "rbf", "precomputed")
FEWER_FEATURES = 4  # examples with fewer than a quarter as many entries as features are multiplied without the others


def training_examples(model, X, y, accept_sparse="csr", **options):
    """Returns (X, y) as scikit-learn's `validate_data` does, with X (n, d), dense or CSR.

    ValueError if X is a Dask array: NumPy would load all of it, which may be more than there is memory. The attribute
    `_on_dask` of the model says what to call in place of it.
    """
    _refuse_dask(model, X, model._on_dask)
    if isinstance(model, ClassifierMixin):
        check_label_types(y)
    return validate_data(model, X, y, accept_sparse=accept_sparse, dtype=FLOATS, **options)


def new_examples(model, X, accept_sparse="csr"):
    """Returns X (n, d), dense or CSR, checked against the features that the model was fitted to."""
    check_is_fitted(model)
    _refuse_dask(model, X, "give the method one block after another, as X.map_blocks does")
    return validate_data(model, X, accept_sparse=accept_sparse, dtype=FLOATS, reset=False)


def _refuse_dask(model, X, advice):
    if hasattr(X, "__dask_graph__"):
        kind, name = type(X).__name__, type(model).__name__
        raise ValueError(
            f"X must be in memory, got a Dask {kind} of shape {X.shape}, which {name} would load as a whole: {advice}, "
            f"or pass X.compute() if there is memory for it"
        )


def linear_scorer(X, coef, intercept):
    """Returns a function of (first, last) that returns the rows first..last-1 of X W + b, the scores (n, m).

    The weights `coef` are (m, d), and `intercept` is (m,). If X is CSR, only the weights of its features are read. So
    one example takes O(nonzero entries m).
    """
    if sparse.issparse(X) and X.nnz < X.shape[1] // FEWER_FEATURES:
        features, columns = np.unique(X.indices, return_inverse=True)
        coef = coef[:, features]
        X = sparse.csr_array((X.data, columns.reshape(-1), X.indptr), shape=(X.shape[0], len(features)))
    products = row_products(X, coef)
    return lambda first, last: products(first, last) + intercept


def with_ones(X, fit_intercept):
    """Returns X, dense or CSR, with a last feature that is always 1; X itself if no intercept is fitted."""
    if not fit_intercept:
        return X
    ones = np.ones((X.shape[0], 1), X.dtype)
    return sparse.hstack([X, ones], format="csr") if sparse.issparse(X) else np.hstack([X, ones])


def without_ones(weights, fit_intercept):
    """Returns the weights (m, d) and the intercepts (m,) of a fit to `with_ones`; zeros if no intercept was fitted."""
    if not fit_intercept:
        return weights, np.zeros(len(weights), weights.dtype)
    return np.ascontiguousarray(weights[:, :-1]), weights[:, -1].copy()


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
