"""Targets of several labels an example, as an indicator (n, m) of 0 and 1, dense or sparse."""

import numpy as np
from scipy import sparse
from sklearn.utils import check_array
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import column_or_1d


def labels_or_indicator(y):
    """Labels (n,) or an indicator (n, m), dense or CSR, of targets that validate_data has seen."""
    if not sparse.issparse(y) and (y.ndim == 1 or y.shape[1] == 1):
        return column_or_1d(y, warn=True)
    if type_of_target(y, input_name="y") != "multilabel-indicator":
        raise ValueError(f"Unknown label type: y must be labels or an indicator, got {type_of_target(y)}")
    return sparse.csr_array(y) if sparse.issparse(y) else y


def is_indicator(y):
    """Whether targets of `labels_or_indicator` are the latter."""
    return y.ndim == 2


def dense_indicator(y, m):
    """Whether each example has each of the m labels, (n, m)."""
    y = check_array(y, accept_sparse="csr", dtype=None)
    if y.shape[1] != m:
        raise ValueError(f"y must have {m} columns, one a class, got shape {y.shape}")
    return (y.toarray() if sparse.issparse(y) else y) != 0


def is_label(Y, best):
    """Whether the best class of each row is one of its labels; Y is dense or CSR."""
    chosen = sparse.csr_array((np.ones(len(best)), best, np.arange(len(best) + 1)), shape=Y.shape)
    return np.asarray(chosen.multiply(Y).sum(axis=1)).ravel() > 0


def indicator_errors(scores, labels, k):
    """1 if at least k classes that are no labels score as much as the best label or more, or if there is no label."""
    best = np.where(labels, scores, -np.inf).max(axis=1, keepdims=True)
    ahead = ((scores >= best) & ~labels).sum(axis=1)
    return (ahead >= k).astype(scores.dtype)  # without a label, all m classes are ahead of -inf
