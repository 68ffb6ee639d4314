"""Features: the check of new examples, and the feature of ones whose weight is the intercept."""

import numpy as np
from scipy import sparse
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.validation import check_is_fitted, validate_data

FLOATS = [np.float64, np.float32]  # X keeps these dtypes; any other is converted to the first


def new_examples(model, X, accept_sparse="csr"):
    """Returns X (n, d), dense or CSR, checked against the features that the model was fitted to."""
    check_is_fitted(model)
    return validate_data(model, X, accept_sparse=accept_sparse, dtype=FLOATS, reset=False)


def linear_scores(model, X):
    """Returns X W + b, the scores (n, m) of a model that has the weights `coef_` (m, d) and `intercept_` (m,)."""
    return safe_sparse_dot(new_examples(model, X), model.coef_.T, dense_output=True) + model.intercept_


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
