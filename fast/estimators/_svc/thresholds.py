"""Which labels are predicted: those whose score is above a threshold, a linear function of the features.

A multilabel loss orders the labels of each example. It does not change if the same number is added to all scores of an
example, so it does not say how many labels there are.
"""

import numpy as np
from sklearn.linear_model import Ridge

RIDGE_TOL = 1e-9


def fit_threshold(X, scores, Y, C, sample_weight, fit_intercept):
    """Returns (v, t): <v, x> + t is near the best threshold of each example, by regularised least squares.

    argmin_{v, t} 1/2 |v|^2 + C/2 sum_i s_i (<v, x_i> + t - t_i)^2, where t_i is of `best_thresholds`.
    """
    targets = best_thresholds(scores, Y)
    # One solver for any X: it only multiplies by X. `sparse_cg` solves for v in the same way if X is dense.
    ridge = Ridge(alpha=1 / C, fit_intercept=fit_intercept, solver="sparse_cg", tol=RIDGE_TOL)
    ridge.fit(X, targets.astype(X.dtype), sample_weight=sample_weight)
    return np.asarray(ridge.coef_, X.dtype), X.dtype.type(ridge.intercept_)


def best_thresholds(scores, Y):
    """Returns for each row the threshold (n,) with the fewest errors.

    A label whose score is not above it is an error, and so is another class whose score is. The threshold is in the
    middle between the scores below and above it. Above or below all scores, it is half of their mean distance away. Of
    several, it is the one with about as many classes above it as there are labels.
    """
    order = np.argsort(-scores, axis=1, kind="stable")
    ordered, is_label = np.take_along_axis(scores, order, axis=1), np.take_along_axis(Y, order, axis=1)
    distance = (ordered[:, :1] - ordered[:, -1:]) / (scores.shape[1] - 1)
    ends = np.hstack([ordered[:, :1] + distance, ordered, ordered[:, -1:] - distance])
    saved = np.cumsum(np.where(is_label, 1, -1), axis=1)  # errors, by predicting the first 1, 2, ... classes
    saved, counts = np.hstack([np.zeros((len(Y), 1), int), saved]), np.arange(Y.shape[1] + 1)
    saved[ends[:, :-1] == ends[:, 1:]] = -len(counts)  # no threshold is between tied scores
    count = (saved * len(counts) - np.abs(counts - Y.sum(axis=1, keepdims=True))).argmax(axis=1)
    rows = np.arange(len(scores))
    return (ends[rows, count] + ends[rows, count + 1]) / 2
