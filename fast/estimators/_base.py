"""What all classifiers here do with the scores of the classes: decide, guess k times, and count errors."""

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_consistent_length, column_or_1d

from reference import contract

from ..losses import topk_error
from ._labels import numbers_of


class TopKMixin(ClassifierMixin):
    """Decisions from `_scores(X)`, the scores (n, m) of `classes_`; k is 1 where there is no such option."""

    def decision_function(self, X):
        """The scores of the classes.

        Parameters
        ----------
        X : array or scipy sparse matrix, shape (n, d)

        Returns
        -------
        scores : array, shape (n, m), or (n,) for two classes: the score of the second minus that of the first
        """
        scores = self._scores(X)
        return scores[:, 1] - scores[:, 0] if self._is_binary() else scores

    def predict(self, X):
        """The class of the largest score; of equals, the first.

        Parameters
        ----------
        X : array or scipy sparse matrix, shape (n, d)

        Returns
        -------
        labels : array, shape (n,)
        """
        best = self._scores(X).argmax(axis=1)
        return self.classes_[best]

    def predict_topk(self, X, k=None):
        """The classes of the k largest scores, best first; of equals, the first.

        Parameters
        ----------
        X : array or scipy sparse matrix, shape (n, d)
        k : int in 1..m, optional
            How many guesses; the estimator's own k if not given.

        Returns
        -------
        labels : array, shape (n, k)
        """
        scores = self._scores(X)
        k = self._guesses(k)
        return self.classes_[np.argsort(-scores, axis=1, kind="stable")[:, :k]]

    def topk_score(self, X, y, k=None, sample_weight=None):
        """1 - mean top-k error: how often fewer than k rivals score as much as the true class, or more.

        A tie counts against the example, whereas `predict_topk` gives the first of equals the benefit of the doubt.

        Parameters
        ----------
        X : array or scipy sparse matrix, shape (n, d)
        y : array, shape (n,)
            True classes. One that the fit has not seen is an error.
        k : int in 1..m, optional
            How many guesses; the estimator's own k if not given.
        sample_weight : array, shape (n,), optional

        Returns
        -------
        score : float
        """
        scores = self._scores(X)
        check_consistent_length(X, y, sample_weight)
        errors = self._topk_errors(scores, y, self._guesses(k))
        return float(1 - np.average(errors, weights=sample_weight))

    def _topk_errors(self, scores, y, k):
        labels, errors = numbers_of(column_or_1d(y), self.classes_), np.ones(len(scores))
        known = labels >= 0
        if known.any():
            errors[known] = topk_error(scores[known], labels[known], k)
        return errors

    def _guesses(self, k):
        return contract.count(getattr(self, "k", 1) if k is None else k, "k", len(self.classes_))

    def _is_binary(self):
        return len(self.classes_) == 2
