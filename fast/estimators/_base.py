"""Predictions of one class or of k classes, the top-k error, and fits that leave no trace when they fail."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_consistent_length, column_or_1d

from reference.problems import checks
from reference.problems.checks.types import Array, Floats, Matrix

from .._shared.threads import for_each, one_blas_thread, row_blocks
from ..losses import topk_error
from ._features import new_examples
from ._labels import numbers_of
from ._options import threads_of

Method = TypeVar("Method", bound=Callable[..., Any])


class TopKMixin(ClassifierMixin):
    """Predictions of a classifier with methods `_checked(X)` and `_scorer(X)`.

    The first returns new examples as the second reads them. The second returns a function of (first, last), which
    returns the scores (last - first, m) of `classes_` for these examples. Several threads may call it at the same time.
    The default number of guesses is the attribute `k` of the classifier, or 1 if it has none. The number of threads is
    its attribute `n_jobs`.
    """

    classes_: npt.NDArray[Any]

    def decision_function(self, X: Matrix) -> Floats:
        """Compute the scores of the classes.

        Parameters
        ----------
        X : array or scipy sparse matrix, shape (n, d)

        Returns
        -------
        scores : array, shape (n, m), or (n,) for two classes: the score of the second minus that of the first
        """
        scores = self._scores(X)
        return scores[:, 1] - scores[:, 0] if self._is_binary() else scores

    def predict(self, X: Matrix) -> npt.NDArray[Any]:
        """Predict the class with the largest score; of tied classes, the first in `classes_`.

        Parameters
        ----------
        X : array or scipy sparse matrix, shape (n, d)

        Returns
        -------
        labels : array, shape (n,)
        """
        best = self._best(X)
        return self.classes_[best]

    def predict_topk(self, X: Matrix, k: int | None = None) -> npt.NDArray[Any]:
        """Predict the classes with the k largest scores, best first; tied classes in the order of `classes_`.

        Parameters
        ----------
        X : array or scipy sparse matrix, shape (n, d)
        k : int in 1..m, optional
            Number of guesses. The default is the estimator's own k.

        Returns
        -------
        labels : array, shape (n, k)
        """
        X, k = self._checked(X), self._guesses(k)
        return self.classes_[np.concatenate(self._by_blocks(X, lambda scores: largest(scores, k)))]

    def topk_score(self, X: Matrix, y: Array, k: int | None = None, sample_weight: Array | None = None) -> float:
        """Compute 1 - mean top-k error.

        An example counts as an error if at least k other classes score as much as its true class, or more. A tie is
        thus an error here, while `predict_topk` may list the true class first among tied ones.

        Parameters
        ----------
        X : array or scipy sparse matrix, shape (n, d)
        y : array, shape (n,)
            True classes. A class that is not in `classes_` counts as an error.
        k : int in 1..m, optional
            Number of guesses. The default is the estimator's own k.
        sample_weight : array, shape (n,), optional

        Returns
        -------
        score : float
        """
        scores = self._scores(X)
        check_consistent_length(X, y, sample_weight)
        errors = self._topk_errors(scores, y, self._guesses(k))
        return float(1 - np.average(errors, weights=sample_weight))

    def _by_blocks(self, X, function):
        """Returns [function(scores), ...] for blocks of checked examples, computed by `n_jobs` threads.

        So predictions never need the scores of all examples at once. The blocks do not depend on the number of threads.
        """
        n_jobs, blocks = threads_of(getattr(self, "n_jobs", None)), row_blocks(X.shape[0], self._width())
        scorer = self._scorer(X)
        if len(blocks) == 1:
            return [function(scorer(*blocks[0]))]
        with one_blas_thread():
            return for_each(lambda first, last: function(scorer(first, last)), blocks, n_jobs)

    def _width(self):
        """Returns how many numbers are computed for the scores of an example."""
        return len(self.classes_)

    def _scores(self, X):
        return np.concatenate(self._by_blocks(self._checked(X), lambda scores: scores))

    def _best(self, X):
        """Returns the number (n,) of the class with the largest score, the first of tied ones."""
        return np.concatenate(self._by_blocks(self._checked(X), lambda scores: scores.argmax(axis=1)))

    def _checked(self, X):
        return new_examples(self, X)

    def _topk_errors(self, scores, y, k):
        labels, errors = numbers_of(column_or_1d(y), self.classes_), np.ones(len(scores))
        known = labels >= 0
        if known.any():
            errors[known] = topk_error(scores[known], labels[known], k)
        return errors

    def _guesses(self, k):
        return checks.count(getattr(self, "k", 1) if k is None else k, "k", len(self.classes_))

    def _is_binary(self):
        return len(self.classes_) == 2


def largest(scores, k):
    """Returns the classes (n, k) with the k largest scores of each row, best first, and tied ones in ascending order.

    A partition finds them. Only rows where a tie crosses the k-th place are sorted.
    """
    if k == scores.shape[1]:
        return np.argsort(-scores, axis=1, kind="stable")
    best = np.sort(np.argpartition(-scores, k - 1, axis=1)[:, :k], axis=1)
    values = np.take_along_axis(scores, best, axis=1)
    best = np.take_along_axis(best, np.argsort(-values, axis=1, kind="stable"), axis=1)
    tied = np.count_nonzero(scores >= values.min(axis=1, keepdims=True), axis=1) > k
    best[tied] = np.argsort(-scores[tied], axis=1, kind="stable")[:, :k]
    return best


def refuse_others(model, others, no_sample_weight):
    """Raise TypeError if `others`, further arguments of a fit, are not empty. That of sample_weight says why."""
    for name in others:
        why = f": {no_sample_weight}" if name == "sample_weight" else ""
        raise TypeError(f"{type(model).__name__} takes no {name}{why}")


def all_or_nothing(method: Method) -> Method:
    """Decorate a method so that, if it raises, all attributes of the model are what they were before the call."""

    @wraps(method)
    def wrapped(model, *args, **kwargs):
        before = dict(vars(model))
        try:
            return method(model, *args, **kwargs)
        except BaseException:
            vars(model).clear()
            vars(model).update(before)
            raise

    return wrapped
