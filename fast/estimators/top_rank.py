"""TopPush and SVMperf, which rank samples of two kinds, as scikit-learn classifiers of many classes."""

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.validation import check_is_fitted, validate_data

from reference import contract

from ..topk_baselines import fit_svm_perf, fit_top_push
from ._base import TopKMixin
from ._labels import classes_and_labels, draw_seeds, inverse, with_ones, without_ones


class _TopRankClassifier(TopKMixin, BaseEstimator):
    """What is the same for both: `_solve` fits one problem, and `_threshold` is the score between its two kinds."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def fit(self, X, y):
        """Maximise the dual until the gap is closed, once, or once a class.

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
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=[np.float64, np.float32])
        classes, labels = classes_and_labels(y)
        self._check_classes(classes, labels)
        relevant = labels[:, None] == np.arange(len(classes))
        problems = [relevant] if self._is_reduced() else list(relevant.T)
        now = (classes, labels, self.multi_class, getattr(self, "k", 1))
        starts = self._starting_duals(now, len(problems))
        features = with_ones(X, self.fit_intercept and self._is_reduced())
        options = {
            "tol": self.tol, "max_iterations": self.max_iter, "seed": int(draw_seeds(self.random_state)),
            "progress": bool(self.verbose),
        }  # fmt: skip
        regularizations = [inverse(self.C, np.count_nonzero(flags), "C P") for flags in problems]
        fits = [
            self._solve(features, flags, regularization=number, duals=duals, **options)
            for flags, number, duals in zip(problems, regularizations, starts, strict=True)
        ]
        self.classes_, self._solved = classes, now
        self._remember(X, relevant, fits)
        return self

    def _starting_duals(self, now, count):
        """The duals of the last fit, one array a problem, if that was of the same samples; otherwise none."""
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

    def _scores(self, X):
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=False)
        return safe_sparse_dot(X, self.coef_.T, dense_output=True) + self.intercept_

    def _check_options(self):
        contract.positive(self.C, "C")
        contract.count(self.max_iter, "max_iter")
        contract.choice(self.multi_class, "multi_class", ("reduction", "ovr"))
        contract.flag(self.fit_intercept, "fit_intercept")
        contract.flag(self.warm_start, "warm_start")

    def _check_classes(self, classes, labels):
        """Nothing is asked of them but what `classes_and_labels` asks."""

    def _is_reduced(self):
        return self.multi_class == "reduction"


class TopPushClassifier(_TopRankClassifier):
    """argmin_W 1/2 |W|^2 + C sum_i max(0, 1 + highest negative score - w_y_i' x_i)^2: TopPush for many classes.

    multi_class="reduction" is one problem. Its samples are all pairs of an example and a class, with scores w_j' x_i,
    the positives are those with y_i = j, and all others are negatives: every example's own class should have a higher
    score than any wrong class of any example. "ovr" is one problem a class: each w_j has its own sum, over the
    examples i of class j, and its negatives are the scores of the examples of other classes.

    Parameters
    ----------
    C : float, > 0
        How much a loss costs. In terms of `fit_top_push`, lambda is 1 / (C P), with P positives: n in "reduction", and
        the examples of the class in "ovr".
    multi_class : {"reduction", "ovr"}
        One problem, or one a class.
    tol : float, >= 0
        The relative duality gap at which to stop.
    max_iter : int, >= 1
        How many looks at all samples at most.
    fit_intercept : bool
        In "reduction", append a feature that is always 1, whose weight is penalised as the others are. In "ovr" such a
        weight would be 0, because all scores of a class may move alike: the intercept is minus the score in the
        middle of the margin, 1/2 above the highest negative. Without it, and with features that are not centred,
        scores of different classes compare badly.
    warm_start : bool
        Start from the duals of the last fit, if there are as many examples with the same labels.
    random_state : int, RandomState or None
        Of the visiting order: the optimum does not depend on it.
    verbose : int
        Show a progress bar a problem, if not 0.

    Attributes
    ----------
    classes_ : array, shape (m,)
    coef_ : array, shape (m, d)
        W transposed.
    intercept_ : array, shape (m,)
    duals_ : array, shape (n, m)
        See `fit_top_push`; in "ovr" a column is the duals of its class.
    duality_gap_ : float
        (primal - dual) / primal of W as returned: a proof of how good the fit is. In "ovr" the largest of all classes.
    n_iter_ : int
        Looks at all samples. In "ovr" those of the class that took most.
    history_ : recarray, or list of recarray in "ovr"
        One record (primal, dual, gap, seconds) a look; primal and dual are those above over C P.
    n_features_in_ : int
    feature_names_in_ : array of str
        If X has them.

    Notes
    -----
    X stays float32 if it is; CSR is read as it is, other sparse matrices are converted. A `ConvergenceWarning` says
    that the gap is above `tol` when the iterations are used up: a large C takes many.
    There is no sample_weight: all positives are compared with one negative, the highest, and a maximum has no weights.
    Source: 004, sections 2.3 and 6.2; N. Li, R. Jin, Z.-H. Zhou, "Top rank optimization in linear time", 2014.

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]]), ["ant", "bee", "cow"]
    >>> push = TopPushClassifier(C=10.0).fit(X, y)
    >>> push.predict_topk([[0.9, 0.1]], k=2)
    array([['ant', 'bee']], dtype='<U3')
    """

    def __init__(
        self, C=1.0, multi_class="reduction", tol=1e-3, max_iter=1000, fit_intercept=False, warm_start=False,
        random_state=None, verbose=0,
    ):  # fmt: skip
        self.C = C
        self.multi_class = multi_class
        self.tol = tol
        self.max_iter = max_iter
        self.fit_intercept = fit_intercept
        self.warm_start = warm_start
        self.random_state = random_state
        self.verbose = verbose

    def _solve(self, X, relevant, **options):
        return fit_top_push(X, relevant, **options)

    def _threshold(self, scores, relevant):
        return scores[~relevant].max() + 0.5


class SVMPerfClassifier(_TopRankClassifier):
    """argmin_W 1/2 |W|^2 + C P max(0, max over S of size k P [loss(S) + F(S) - F(positives)]): SVMperf, many classes.

    multi_class="reduction" is one problem. Its samples are all pairs of an example and a class, with scores w_j' x_i,
    and the P = n positives are those with y_i = j. S are the k n samples that are predicted positive, k an example.
    "ovr" is one problem a class, whose P positives are the examples of that class, and S are k P of the n examples;
    for k = 1 it is a binary support vector machine of 2 C, with a free intercept, and w_j is half of its weights.
    F(S) - F(positives) is the sum of the scores of the negatives in S, less that of the positives that S misses, by P.

    Parameters
    ----------
    k : int in 1..m-1
        How many samples are predicted positive, over P. In "ovr" k P must be below n for every class.
    loss : {"recall", "precision"}
        The share of the positives that S misses, or the share of S that is negative; the same thing for k = 1.
    C : float, > 0
        How much a loss costs. In terms of `fit_svm_perf`, lambda is 1 / (C P).
    multi_class : {"reduction", "ovr"}
        One problem, or one a class.
    tol : float, >= 0
        The relative duality gap at which to stop.
    max_iter : int, >= 1
        How many looks at all samples, or cutting planes, at most.
    fit_intercept : bool
        In "reduction", append a feature that is always 1, whose weight is penalised as the others are. In "ovr" the
        intercept is minus the score in the middle of the margin, between what is in the worst S and what is not.
        Without it, and with features that are not centred, scores of different classes compare badly.
    warm_start : bool
        Start from the duals of the last fit, if k is the same and there are as many examples with the same labels.
        Where cutting planes are used, for k > 1 or few features, this may save none.
    random_state : int, RandomState or None
        Of the visiting order, if there is one: the optimum does not depend on it.
    verbose : int
        Show a progress bar a problem, if not 0.

    Attributes
    ----------
    duals_ : array, shape (n, m)
        By which share of the planes each sample is selected; in "ovr" a column is the duals of its class.
    n_iter_ : int
        Looks at all samples, or cutting planes. In "ovr" those of the class that took most.
    classes_, coef_, intercept_, duality_gap_, history_, n_features_in_, feature_names_in_
        As in `TopPushClassifier`.

    Notes
    -----
    For k > 1 no S is the truth, and scores that are all alike and negative can make the hinge 0: it does not bound
    the loss, and k = 1 is often better at k guesses too. `predict_topk` makes k guesses if not told otherwise.
    X stays float32 if it is; CSR is read as it is, other sparse matrices are converted. A `ConvergenceWarning` says
    that the gap is above `tol` when the iterations are used up.
    There is no sample_weight: the loss is one of a set S, and no sum over samples.
    Source: 004, sections 2.3 and 6.2; T. Joachims, "A support vector method for multivariate performance measures",
    2005; P. Kar, H. Narasimhan, P. Jain, "Surrogate functions for maximizing precision at the top", 2015.

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]]), ["ant", "bee", "cow"]
    >>> perf = SVMPerfClassifier(C=10.0).fit(X, y)
    >>> perf.predict_topk([[0.9, 0.1]], k=2)
    array([['ant', 'bee']], dtype='<U3')
    """

    def __init__(
        self, k=1, loss="recall", C=1.0, multi_class="reduction", tol=1e-3, max_iter=1000, fit_intercept=False,
        warm_start=False, random_state=None, verbose=0,
    ):  # fmt: skip
        self.k = k
        self.loss = loss
        self.C = C
        self.multi_class = multi_class
        self.tol = tol
        self.max_iter = max_iter
        self.fit_intercept = fit_intercept
        self.warm_start = warm_start
        self.random_state = random_state
        self.verbose = verbose

    def _solve(self, X, relevant, **options):
        return fit_svm_perf(X, relevant, k=self.k * np.count_nonzero(relevant), loss=self.loss, **options)

    def _threshold(self, scores, relevant):
        """The k-th largest score of those that loss was added to, seen from the middle of what was added."""
        k, margin = self.k * np.count_nonzero(relevant), 1.0 if self.loss == "recall" else 1 / self.k
        return np.partition(scores - margin * relevant, -k)[-k] + margin / 2

    def _check_classes(self, classes, labels):
        contract.count(self.k, "k", len(classes) - 1)
        counts = np.bincount(labels)
        if not self._is_reduced() and self.k * counts.max() >= len(labels):
            size = f"{counts.max()} of {len(labels)} examples"
            raise ValueError(f"k must be below n / size of a class for multi_class='ovr', got {self.k} with {size}")
