"""Scorers for model selection: the accuracy of k guesses, for `GridSearchCV` and its relatives."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.utils.metadata_routing import MetadataRequest
from sklearn.utils.validation import check_consistent_length, column_or_1d

from reference.problems import checks
from reference.problems.checks.types import Array, Matrix

from ._indicators import dense_indicator
from ._labels import UNKNOWN, numbers_of

__all__ = ["topk_scorer", "TopKScorer"]

RESPONSES = ("decision_function", "predict_proba")  # the first that the estimator has gives the scores of the classes


def topk_scorer(k: int) -> TopKScorer:
    """Returns a scorer: the share of the examples whose class is among the k guesses of a classifier.

    `score` of a classifier is its accuracy with one guess. A grid search that maximises it has no reason to prefer a
    loss for more than one guess. This scorer counts what ``predict_topk(X, k)`` gets right.

    Parameters
    ----------
    k : int, >= 1
        The number of guesses. A classifier that has fewer classes guesses all of them.

    Returns
    -------
    scorer : TopKScorer
        A function of (estimator, X, y, sample_weight=None), for `scoring` in `GridSearchCV`, `cross_val_score` and the
        like. The estimator is any classifier or pipeline with `classes_` and a `decision_function` or `predict_proba`.

    Raises
    ------
    ValueError
        `k` is not an integer >= 1.

    Notes
    -----
    Of tied classes, the first in ``classes_`` is guessed first, as `predict_topk` does. `topk_score` is stricter: there
    a tie counts against the true class. A class that the classifier did not see in its fit is an error, so a fold may
    miss classes in its training part or its test part. scikit-learn's ``top_k_accuracy_score`` must be told `labels`
    for that. If y is an indicator, an example is right if one of its labels is among the guesses.

    A grid search over k refits the estimator for each k, and all of them are compared with the same number of guesses.
    O(n m) after the scores.

    Examples
    --------
    Twelve classes in four groups of three, which two features cannot tell apart. One guess is right for a third of the
    examples at best, and three guesses for nearly all. The grid search prefers the loss for three guesses:

    >>> import numpy as np
    >>> from sklearn.model_selection import GridSearchCV
    >>> from fast.estimators import TopKSVC, topk_scorer
    >>> random = np.random.default_rng(0)
    >>> y = random.integers(12, size=150)
    >>> angle = np.pi / 2 * (y // 3)
    >>> X = np.column_stack([np.cos(angle), np.sin(angle)]) + random.normal(scale=0.2, size=(150, 2))
    >>> grid = {"k": [1, 3], "C": [0.1, 1.0, 10.0]}
    >>> search = GridSearchCV(TopKSVC(random_state=0), grid, scoring=topk_scorer(3), cv=3).fit(X, y)
    >>> print(f"k = {search.best_params_['k']}, right with three guesses: {search.best_score_:.2f}")
    k = 3, right with three guesses: 1.00
    """
    return TopKScorer(k)


class TopKScorer:
    """The scorer that `topk_scorer` returns. Two scorers are equal if they count the same number of guesses."""

    def __init__(self, k: int) -> None:
        self.k = checks.count(k, "k")
        self._requested = None

    def __call__(self, estimator: Any, X: Matrix, y: Matrix, sample_weight: Array | None = None) -> float:
        """Compute the share of the examples that are right, weighted if `sample_weight` (n,) is given."""
        scores = _scores_of_classes(estimator, X)
        check_consistent_length(scores, y, sample_weight)
        return float(np.average(_is_guessed(scores, y, estimator.classes_, self.k), weights=sample_weight))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TopKScorer) and self.k == other.k

    def __hash__(self) -> int:
        return hash((TopKScorer, self.k))

    def __repr__(self) -> str:
        return f"topk_scorer({self.k})"

    def set_score_request(self, *, sample_weight: bool | str | None) -> Self:
        """Set whether scikit-learn's metadata routing passes `sample_weight` on: True, False, None or another name."""
        self._requested = sample_weight
        return self

    def get_metadata_routing(self) -> MetadataRequest:
        """Returns what metadata the scorer requests, for scikit-learn's metadata routing."""
        request = MetadataRequest(owner=self)
        request.score.add_request(param="sample_weight", alias=self._requested)
        return request

    def _accept_sample_weight(self):
        return True  # scikit-learn asks this if metadata routing is off


def _scores_of_classes(estimator, X):
    """Returns the scores (n, m) of the classes. ValueError if the estimator does not give one for each class."""
    for method in RESPONSES:
        if hasattr(estimator, method):
            scores = np.asarray(getattr(estimator, method)(X))
            break
    else:
        raise ValueError(f"estimator must have {' or '.join(RESPONSES)}, got {type(estimator).__name__} without")
    if scores.ndim == 1:  # of two classes, the score of the second minus that of the first
        scores = np.column_stack([np.zeros_like(scores), scores])
    if scores.shape[1] != len(estimator.classes_):
        expected = f"one score for each of the {len(estimator.classes_)} classes"
        raise ValueError(f"estimator must give {expected}, got {scores.shape[1]} from {type(estimator).__name__}")
    return scores


def _is_guessed(scores, y, classes, k):
    """Returns a boolean array (n,): whether the true class, or one of the labels, is among the first k guesses."""
    m = len(classes)
    if getattr(y, "ndim", 1) == 2 and y.shape[1] > 1:
        is_label = dense_indicator(y, m)
        true, known = np.where(is_label, scores, -np.inf).argmax(axis=1), is_label.any(axis=1)
    else:
        true = numbers_of(column_or_1d(y), classes)
        known = true != UNKNOWN
    true = np.where(known, true, 0)[:, None]
    own, earlier = np.take_along_axis(scores, true, axis=1), np.arange(m) < true
    ahead = np.count_nonzero((scores > own) | ((scores == own) & earlier), axis=1)
    return known & (ahead < k)
