"""What TopPush and SVMperf share: many classes as one problem of two kinds of samples, or as one problem a class."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.extmath import safe_sparse_dot

from reference.problems import checks
from reference.problems.checks.types import Floats, History

from .._shared.threads import for_each
from ._base import TopKMixin
from ._features import linear_scorer, training_examples, with_ones, without_ones
from ._labels import check_weighted_classes, classes_and_labels, sample_weights
from ._options import USUAL_GAP, draw_seeds, is_auto, regularization_of, threads_of, tolerance_of

MODES = ("reduction", "ovr")  # of multi_class: one problem, or one problem a class


class TopRankClassifier(TopKMixin, BaseEstimator):
    """Base class. `_solve` fits one problem, and `_threshold` returns the score between its positives and negatives."""

    coef_: Floats
    intercept_: Floats
    duals_: Floats
    duality_gap_: float
    n_iter_: int
    history_: History | Any  # a list with multi_class="ovr"

    _on_dask = "fit a part of its rows"

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _fit(self, X, y, sample_weight=None):
        """Maximise the dual until the relative duality gap is at most `tol`: of one problem, or of one a class."""
        self._check_options()
        X, y = training_examples(self, X, y)
        classes, labels = classes_and_labels(y)
        weights = sample_weights(sample_weight, X)
        self._check_class_sizes(classes, labels, weights)
        check_weighted_classes(classes, labels, weights, "sample_weight")
        relevant = labels[:, None] == np.arange(len(classes))
        problems = [relevant] if self._is_reduced() else list(relevant.T)
        sizes = [weights.sum()] if self._is_reduced() else self._sizes_of_all(classes, labels, weights)
        now = (classes, labels, self.multi_class, getattr(self, "k", 1), self._weights_of_duals(weights))
        starts = self._starting_duals(now, len(problems))
        n_jobs = threads_of(self.n_jobs)
        features = with_ones(X, self.fit_intercept and self._is_reduced())
        options = {
            "tol": tolerance_of(self.tol, *X.shape, len(classes)), "max_iterations": self.max_iter,
            "seed": int(draw_seeds(self.random_state)),
            "progress": bool(self.verbose) and min(n_jobs, len(problems)) == 1,  # there is one bar at a time
        }  # fmt: skip
        if sample_weight is not None:
            options["sample_weight"] = weights
        regularizations = [regularization_of(self.C, size, "C P") for size in sizes]

        def solve(positives, regularization, duals):
            return self._solve(features, positives, regularization=regularization, duals=duals, **options)

        with warnings.catch_warnings():
            if is_auto(self.tol):
                warnings.simplefilter("ignore", ConvergenceWarning)
            fits = for_each(solve, zip(problems, regularizations, starts, strict=True), n_jobs)
        if is_auto(self.tol):
            worst = max(fits, key=lambda fit: fit.gap)
            checks.warn_unless_converged(worst.gap, USUAL_GAP, worst.iterations, "iterations", X=features)
        self.classes_, self._solved = classes, now
        self._remember(X, relevant, weights, fits)
        return self

    def _starting_duals(self, now, count):
        """Returns the duals of the last fit, one array a problem; None for each problem if they do not fit this one."""
        last = getattr(self, "_solved", None)
        if not (self.warm_start and last and all(map(np.array_equal, last, now))):
            return [None] * count
        return [self.duals_] if self._is_reduced() else list(self.duals_.T)

    def _sizes_of_all(self, classes, labels, weights):
        """Returns the sum P of the weights of each class. ValueError if it is 0: that problem has no positives."""
        sizes = np.bincount(labels, weights)
        if not sizes.all():
            got = f"got zeros for class {classes[sizes == 0].tolist()}"
            raise ValueError(f"sample_weight must be above zero in each class for multi_class='ovr', {got}")
        return sizes

    def _remember(self, X, relevant, weights, fits):
        stacked, counted = np.column_stack([fit.weights for fit in fits]).T, weights > 0
        self.coef_, self.intercept_ = without_ones(stacked, self.fit_intercept and self._is_reduced())
        if self.fit_intercept and not self._is_reduced():
            scores = safe_sparse_dot(X, self.coef_.T, dense_output=True)
            columns, weights = zip(scores[counted].T, relevant[counted].T, strict=True), weights[counted]
            self.intercept_[:] = [-self._threshold(*column, weights) for column in columns]
        self.duals_ = np.column_stack([fit.duals for fit in fits])
        self.duality_gap_, self.n_iter_ = max(fit.gap for fit in fits), max(fit.iterations for fit in fits)
        self.history_ = fits[0].history if self._is_reduced() else [fit.history for fit in fits]

    def _scorer(self, X):
        return linear_scorer(X, self.coef_, self.intercept_)

    def _check_options(self):
        checks.positive(self.C, "C")
        checks.count(self.max_iter, "max_iter")
        checks.choice(self.multi_class, "multi_class", MODES)
        checks.flag(self.fit_intercept, "fit_intercept")
        checks.flag(self.warm_start, "warm_start")

    def _check_class_sizes(self, classes, labels, weights):
        """Raise ValueError if k does not fit the classes. Any classes will do where there is no k."""

    def _weights_of_duals(self, weights):
        """Returns what must be the same in two calls for the duals of one to start the other."""
        return weights

    def _is_reduced(self):
        return self.multi_class == "reduction"
