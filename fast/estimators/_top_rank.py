"""What TopPush and SVMperf share: many classes as one problem of two kinds of samples, or as one problem a class."""

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.validation import validate_data

from reference import contract

from .._shared.threads import for_each
from ._base import TopKMixin
from ._features import FLOATS, linear_scorer, with_ones, without_ones
from ._labels import check_label_types, classes_and_labels
from ._options import draw_seeds, regularization_of, threads_of

MODES = ("reduction", "ovr")  # of multi_class: one problem, or one problem a class


class TopRankClassifier(TopKMixin, BaseEstimator):
    """Base class. `_solve` fits one problem, and `_threshold` returns the score between its positives and negatives."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def fit(self, X, y):
        """Maximise the dual until the relative duality gap is at most `tol`: of one problem, or of one a class.

        Parameters
        ----------
        X : array or scipy sparse matrix, shape (n, d)
        y : array, shape (n,)
            Class labels of any type.

        Returns
        -------
        self : the classifier
        """
        self._check_options()
        check_label_types(y)
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=FLOATS)
        classes, labels = classes_and_labels(y)
        self._check_class_sizes(classes, labels)
        relevant = labels[:, None] == np.arange(len(classes))
        problems = [relevant] if self._is_reduced() else list(relevant.T)
        now = (classes, labels, self.multi_class, getattr(self, "k", 1))
        starts = self._starting_duals(now, len(problems))
        n_jobs = threads_of(self.n_jobs)
        features = with_ones(X, self.fit_intercept and self._is_reduced())
        options = {
            "tol": self.tol, "max_iterations": self.max_iter, "seed": int(draw_seeds(self.random_state)),
            "progress": bool(self.verbose) and min(n_jobs, len(problems)) == 1,  # there is one bar at a time
        }  # fmt: skip
        regularizations = [regularization_of(self.C, np.count_nonzero(positives), "C P") for positives in problems]

        def solve(positives, regularization, duals):
            return self._solve(features, positives, regularization=regularization, duals=duals, **options)

        fits = for_each(solve, zip(problems, regularizations, starts, strict=True), n_jobs)
        self.classes_, self._solved = classes, now
        self._remember(X, relevant, fits)
        return self

    def _starting_duals(self, now, count):
        """Returns the duals of the last fit, one array a problem; None for each problem if they do not fit this one."""
        last = getattr(self, "_solved", None)
        if not (self.warm_start and last and all(map(np.array_equal, last, now))):
            return [None] * count
        return [self.duals_] if self._is_reduced() else list(self.duals_.T)

    def _remember(self, X, relevant, fits):
        weights = np.column_stack([fit.weights for fit in fits]).T
        self.coef_, self.intercept_ = without_ones(weights, self.fit_intercept and self._is_reduced())
        if self.fit_intercept and not self._is_reduced():
            scores = safe_sparse_dot(X, self.coef_.T, dense_output=True)
            self.intercept_[:] = [-self._threshold(*column) for column in zip(scores.T, relevant.T, strict=True)]
        self.duals_ = np.column_stack([fit.duals for fit in fits])
        self.duality_gap_, self.n_iter_ = max(fit.gap for fit in fits), max(fit.iterations for fit in fits)
        self.history_ = fits[0].history if self._is_reduced() else [fit.history for fit in fits]

    def _scorer(self, X):
        return linear_scorer(X, self.coef_, self.intercept_)

    def _check_options(self):
        contract.positive(self.C, "C")
        contract.count(self.max_iter, "max_iter")
        contract.choice(self.multi_class, "multi_class", MODES)
        contract.flag(self.fit_intercept, "fit_intercept")
        contract.flag(self.warm_start, "warm_start")

    def _check_class_sizes(self, classes, labels):
        """Raise ValueError if k does not fit the classes. Any classes will do where there is no k."""

    def _is_reduced(self):
        return self.multi_class == "reduction"
