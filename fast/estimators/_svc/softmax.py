"""Class probabilities of a classifier that was fitted with the entropy: the softmax of its scores."""

from __future__ import annotations

import numpy as np
from scipy.special import log_softmax, softmax
from sklearn.utils.metaestimators import available_if

from reference.problems.checks.types import Floats, Matrix


def _has_probabilities(model):
    """Returns True, or raises AttributeError: the scores of the hinges estimate no probabilities."""
    if model.loss != "entropy":
        raise AttributeError(f"predict_proba and predict_log_proba need loss='entropy', got loss={model.loss!r}")
    return True


class SoftmaxMixin:
    """Probabilities of a classifier with a parameter `loss` and the predictions of `TopKMixin`."""

    @available_if(_has_probabilities)
    def predict_proba(self, X: Matrix) -> Floats:
        """Compute the softmax of the scores; only with loss="entropy".

        For k = 1 these are the class probabilities of softmax regression. For k > 1 they are the same function of the
        scores, and estimate no class probabilities: the top-k entropy does not ask for the true class to come first,
        but for one of k places, and the softmax shares its mass among several classes.

        Parameters
        ----------
        X : array or scipy sparse matrix, shape (n, d)

        Returns
        -------
        probabilities : array, shape (n, m)
            The columns are in the order of `classes_`. Each row sums to 1.
        """
        return self._of_scores(X, softmax)

    @available_if(_has_probabilities)
    def predict_log_proba(self, X: Matrix) -> Floats:
        """Compute the logarithms of `predict_proba`, without underflow.

        Parameters
        ----------
        X : array or scipy sparse matrix, shape (n, d)

        Returns
        -------
        log_probabilities : array, shape (n, m)
        """
        return self._of_scores(X, log_softmax)

    def _of_scores(self, X, function):
        return np.concatenate(self._by_blocks(self._checked(X), lambda scores: function(scores, axis=1)))
