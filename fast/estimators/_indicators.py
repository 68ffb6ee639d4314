"""Targets with several labels an example: an indicator (n, m) of 0 and 1, dense or sparse."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.utils import check_array
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_consistent_length, column_or_1d

from reference.problems.checks.types import Array, Matrix

from ._base import TopKMixin
from ._labels import numbers_of


class MultilabelTopKMixin(TopKMixin):
    """Predictions of a classifier whose targets were labels, or an indicator if its `multilabel_` is True."""

    multilabel_: bool

    def predict(self, X: Matrix) -> npt.NDArray[Any]:
        """Predict the class with the largest score; of tied classes, the first in `classes_`.

        Parameters
        ----------
        X : array or scipy sparse matrix, shape (n, d)

        Returns
        -------
        labels : array, shape (n,), or an indicator (n, m) with one 1 a row if y was an indicator
        """
        best = self._best(X)
        if not self.multilabel_:
            return self.classes_[best]
        return (best[:, None] == np.arange(len(self.classes_))).astype(self._label_dtype)

    def score(self, X: Matrix, y: Matrix, sample_weight: Array | None = None) -> float:
        """Compute the share of the examples whose best class is their label, or one of their labels.

        Parameters
        ----------
        X : array or scipy sparse matrix, shape (n, d)
        y : array, shape (n,), or indicator, array or scipy sparse matrix, shape (n, m)
            An example without labels counts as an error.
        sample_weight : array, shape (n,), optional

        Returns
        -------
        score : float
        """
        best = self._best(X)
        check_consistent_length(X, y, sample_weight)
        if self.multilabel_:
            right = is_label(dense_indicator(y, len(self.classes_)), best)
        else:
            right = numbers_of(column_or_1d(y), self.classes_) == best
        return float(np.average(right, weights=sample_weight))

    def _topk_errors(self, scores, y, k):
        if not self.multilabel_:
            return super()._topk_errors(scores, y, k)
        return indicator_errors(scores, dense_indicator(y, len(self.classes_)), k)

    def _is_binary(self):
        return len(self.classes_) == 2 and not self.multilabel_


def labels_or_indicator(y):
    """Returns labels (n,) or an indicator (n, m), dense or CSR. `y` is checked by validate_data."""
    if not sparse.issparse(y) and (y.ndim == 1 or y.shape[1] == 1):
        return column_or_1d(y, warn=True)
    if type_of_target(y, input_name="y") != "multilabel-indicator":
        expected = "y must be labels (n,) or an indicator (n, m) of 0 and 1"
        raise ValueError(f"Unknown label type: {expected}, got {type_of_target(y)}")
    return sparse.csr_array(y) if sparse.issparse(y) else y


def is_indicator(y):
    """Returns whether targets from `labels_or_indicator` are an indicator."""
    return y.ndim == 2


def dense_indicator(y, m):
    """Returns a boolean array (n, m): whether each example has each of the m labels."""
    y = check_array(y, accept_sparse="csr", dtype=None)
    if y.shape[1] != m:
        raise ValueError(f"y must have {m} columns, one a class, got shape {y.shape}")
    return (y.toarray() if sparse.issparse(y) else y) != 0


def is_label(Y, best):
    """Returns a boolean array (n,): whether class best[i] is a label in row i of Y, dense or CSR."""
    chosen = sparse.csr_array((np.ones(len(best)), best, np.arange(len(best) + 1)), shape=Y.shape)
    return np.asarray(chosen.multiply(Y).sum(axis=1)).ravel() > 0


def indicator_errors(scores, labels, k):
    """Returns the top-k errors (n,), 0 or 1, of scores (n, m) for several labels an example, boolean (n, m).

    The error is 1 if at least k classes that are not labels score as much as the best label, or more. It is 1 too if
    the example has no label.
    """
    best = np.where(labels, scores, -np.inf).max(axis=1, keepdims=True)
    ahead = ((scores >= best) & ~labels).sum(axis=1)
    return (ahead >= k).astype(scores.dtype)  # without a label, all m classes are ahead of -inf
