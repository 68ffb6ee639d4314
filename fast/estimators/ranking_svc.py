"""The structured ranking SVM as a scikit-learn estimator, whose predictions are scores to sort by."""

from __future__ import annotations

import warnings
from typing import Never, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.metrics import average_precision_score, ndcg_score
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.validation import check_array, check_consistent_length, column_or_1d

from reference.problems import checks
from reference.problems.checks.types import Array, Floats, History, Matrix

from ..ranking_svm import fit_ranking_svm
from ._base import refuse_others
from ._features import new_examples, training_examples
from ._options import regularization_of, threads_of
from ._queries import (
    GRADES,
    check_rankable,
    graded_queries,
    grades_to_use,
    query_numbers,
    query_weights,
    rankable_queries,
    relative_gains,
    threshold_copies,
)

NO_SAMPLE_WEIGHT = "the loss of a query is not a sum over its samples. query_weight weighs whole queries"


class RankingSVC(BaseEstimator):
    r"""The structured ranking SVM, whose predictions are scores to sort by, trained to a certified gap.

    .. math::

        \arg\min_w \; \tfrac12 \|w\|^2 + C \; \text{mean over queries of } \;
        \max_R \left( \text{loss}(R) + F(R) - F(R^*) \right)

    R is a ranking of the samples of a query, and :math:`R^*` is one that has all relevant samples first. F(R) is the
    mean over all pairs of a relevant and an irrelevant sample of the difference of their scores, with a minus sign
    where R has the irrelevant one first. The scores are X w. In terms of `fit_ranking_svm`, :math:`\lambda` is 1 / C.
    As in Joachims' formulation, the losses of the queries are averaged and not added, so that a C that suits some
    queries also suits more of them.

    If the thresholds between grades are used, the maximum is replaced by a weighted sum of maxima, one for each grade:
    see the notes.

    Parameters
    ----------
    loss : {"ap", "ndcg", "auc", "zero_one"} or QSLoss
        1 - average precision, 1 - NDCG, the share of pairs in the wrong order, or the hinge of each sample on its own.
    C : float, > 0
        The cost of the mean loss.
    relevant_from : float, optional
        A sample is relevant if its grade is at least this number. The default is the second lowest grade of the fit.
        grades="thresholds" allows none.
    tol : float, >= 0
        The relative duality gap at which to stop.
    max_iter : int, >= 1
        The largest number of cutting planes.
    verbose : int
        Show a progress bar if it is not 0.
    grades : {"auto", "binary", "thresholds"}
        "binary" tells relevant samples from irrelevant ones, and all that matters of a grade is on which side it is.
        "thresholds" uses every grade. With loss="ndcg" it minimises an upper bound of the graded loss 1 - NDCG, where a
        sample of grade g has the gain :math:`2^g - 1`. Grades are then numbers >= 0.
        "auto" is "thresholds" if y has 3 to 10 different grades, all >= 0, and there is no `relevant_from`. Otherwise
        it is "binary", with a warning if y has more than two grades.
    n_jobs : int, optional
        Number of threads, or -1 for one per processor. The default is one. The fit does not depend on it.

    Attributes
    ----------
    coef_ : array, shape (d,)
        The weights w of the features.
    relevant_from_ : float or None
        The lowest grade of a relevant sample. None if the thresholds are used.
    duality_gap_ : float
        (primal - dual) / primal of w as returned: an upper bound on its relative distance from the optimum.
    n_iter_ : int
        The number of cutting planes.
    history_ : recarray
        One record (primal, dual, gap, seconds) an iteration. Its primal and dual are those of the problem above,
        divided by C.
    n_features_in_ : int
    feature_names_in_ : array of str
        Present if X has feature names.

    Notes
    -----
    There is no intercept: it would add the same number to all scores of a query and change no ranking. Only the loss
    "zero_one" depends on it; append a feature of ones there.

    The fit is deterministic. Queries without both a relevant and an irrelevant sample are left out, with a warning.
    There is no sample_weight: the loss of a query is not a sum over its samples. `query_weight` weighs the queries.

    A ranker that is not linear is a pipeline with an approximate kernel, such as scikit-learn's ``Nystroem``: the last
    example shows one, and how a pipeline passes on the queries. It takes memory for n n_components numbers.

    With the thresholds, each query is fitted once for each threshold t = 1, 2, ... up to its highest grade. In the
    copy for t, the samples of grade t or more are relevant, and its loss has the weight
    :math:`w_t = 2^{t-1} \text{IDCG}_t / \text{IDCG}`. Here :math:`\text{IDCG}_t` is the largest discounted gain of the
    copy, and IDCG that of the query, with gains :math:`2^g - 1`. The :math:`w_t` of a query add up to 1. Because
    :math:`2^g - 1` is the sum of :math:`2^{t-1}` over t = 1..g, the graded loss 1 - NDCG of a ranking is the weighted
    sum of the binary losses of the copies, and the weighted sum of the hinges is a convex upper bound. Notebook 08
    proves this.

    With another `loss`, the same weights average its binary losses. Copies in which all samples are relevant have no
    loss and are left out, and copies with the same relevant samples are one. So a query has as many copies as it has
    different grades, less one, and time and memory grow by this factor. Grades need not be integers: the weight of a
    copy is the gain that its threshold adds, times :math:`\text{IDCG}_t`, divided by IDCG.

    References
    ----------
    * Paper 002 (Mohapatra et al.: Efficient Optimization for Rank-based Loss Functions, 2018), problem (4).
    * Paper (Joachims, Finley, Yu: Cutting-Plane Training of Structural SVMs, 2009).

    Examples
    --------
    >>> import numpy as np
    >>> X, grades = np.array([[1.0, 0.0], [0.8, 1.0], [0.0, 1.0], [-1.0, 0.5]]), [2, 1, 0, 0]
    >>> qid = ["a", "a", "a", "a"]
    >>> ranker = RankingSVC(C=10.0, tol=1e-6).fit(X, grades, qid)
    >>> np.argsort(-ranker.predict(X))
    array([0, 1, 2, 3])
    >>> ranker.score(X, grades, qid)  # the mean NDCG of the three grades
    1.0

    Samples are the better the closer they are to a circle, which no linear function of the features can say:

    >>> import sklearn
    >>> from sklearn.kernel_approximation import Nystroem
    >>> from sklearn.pipeline import make_pipeline
    >>> random = np.random.default_rng(0)
    >>> X, qid = random.normal(size=(600, 2)), np.repeat(np.arange(30), 20)
    >>> grades = np.digitize(-np.abs(np.hypot(*X.T) - 1), [-0.5, -0.2])
    >>> train, test = qid < 20, qid >= 20
    >>> with sklearn.config_context(enable_metadata_routing=True):
    ...     ranker = RankingSVC(C=100.0, tol=1e-6).set_fit_request(qid=True).set_score_request(qid=True)
    ...     for model in (make_pipeline(ranker), make_pipeline(Nystroem(random_state=0), ranker)):
    ...         _ = model.fit(X[train], grades[train], qid=qid[train])
    ...         print(f"{model.score(X[test], grades[test], qid=qid[test]):.2f}")
    0.67
    0.96
    """

    coef_: Floats
    relevant_from_: float | None
    duality_gap_: float
    n_iter_: int
    history_: History

    _on_dask = "call fast.distributed.fit_ranking_svm(X, relevant, groups=..., ...)"

    def __init__(
        self, loss: str | checks.QSLoss = "ap", C: float = 1.0, relevant_from: float | None = None, tol: float = 1e-3,
        max_iter: int = 1000, verbose: int = 0, grades: str = "auto", n_jobs: int | None = None,
    ) -> None:  # fmt: skip
        self.loss = loss
        self.C = C
        self.relevant_from = relevant_from
        self.tol = tol
        self.max_iter = max_iter
        self.verbose = verbose
        self.grades = grades
        self.n_jobs = n_jobs

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = tags.target_tags.required = True
        return tags

    def fit(
        self, X: Matrix, y: Array, qid: Array | None = None, query_weight: Array | None = None, **others: Never
    ) -> Self:
        """Add cutting planes until the relative duality gap is at most `tol`.

        Parameters
        ----------
        X : array or scipy sparse matrix, shape (n, d)
        y : array, shape (n,)
            Grades. If they are taken as binary, samples of the lowest grade are irrelevant by default: for grades
            0, 1, 2, ... those of grade 0. If the thresholds are used, the grade g has the gain :math:`2^g - 1`.
        qid : array, shape (n,), optional
            The query of each sample, in any order and of any type. Without it, all samples are taken for one query,
            with a warning.
        query_weight : array, shape (n,), >= 0, optional
            The weight of the sample's query in the mean, the same number for all samples of a query. Weight 2 is the
            same as giving the query twice. Samples have no weights of their own, because the loss of a query is not a
            sum over its samples.
        **others
            Raise a TypeError. That of sample_weight says why there is none.

        Returns
        -------
        self : RankingSVC
        """
        refuse_others(self, others, NO_SAMPLE_WEIGHT)
        checks.positive(self.C, "C")
        checks.count(self.max_iter, "max_iter")
        checks.choice(self.grades, "grades", GRADES)
        X, y = training_examples(self, X, y, y_numeric=True, ensure_min_samples=2)
        y = check_array(y, ensure_2d=False, dtype=np.float64, input_name="y")  # refuses text
        queries = query_numbers(qid, len(y))
        weights = query_weights(query_weight, queries)
        lowest, (X, relevant, queries, weights, share) = self._problem(X, y, queries, weights)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=".* groups do not have both classes")  # said of queries before
            fit = fit_ranking_svm(
                X, relevant, groups=queries, group_weight=weights, loss=self.loss,
                regularization=regularization_of(self.C * share, 1, "C"), tol=self.tol, max_iterations=self.max_iter,
                n_jobs=threads_of(self.n_jobs), progress=bool(self.verbose),
            )  # fmt: skip
        self.coef_, self.relevant_from_, self.duality_gap_ = fit.weights, lowest, fit.gap
        self.n_iter_, self.history_ = fit.iterations, fit.history
        self.history_.primal *= share
        self.history_.dual *= share
        return self

    def predict(self, X: Matrix) -> Floats:
        """Compute the scores to sort by, largest first.

        Parameters
        ----------
        X : array or scipy sparse matrix, shape (n, d)

        Returns
        -------
        scores : array, shape (n,)
        """
        return safe_sparse_dot(new_examples(self, X), self.coef_, dense_output=True)

    def score(self, X: Matrix, y: Array, qid: Array | None = None, sample_weight: None = None) -> float:
        """Compute the mean average precision of the queries that have both relevant and irrelevant samples.

        If the fit uses the thresholds, compute the mean NDCG of the queries with different grades, with gains
        :math:`2^g - 1`. To compare fits of which some see two grades and others more, set `grades`.

        Parameters
        ----------
        X : array or scipy sparse matrix, shape (n, d)
        y : array, shape (n,)
            Grades.
        qid : array, shape (n,), optional
            As in `fit`.
        sample_weight : None
            There is no sample_weight. scikit-learn's pipelines pass None if they pass on `qid`.

        Returns
        -------
        score : float
            The mean of scikit-learn's ``average_precision_score``, or of its ``ndcg_score``.
        """
        refuse_others(self, {} if sample_weight is None else {"sample_weight": sample_weight}, NO_SAMPLE_WEIGHT)
        scores, y = self.predict(X), check_array(column_or_1d(y), ensure_2d=False, dtype=np.float64, input_name="y")
        check_consistent_length(scores, y)
        queries = query_numbers(qid, len(y))
        if self.relevant_from_ is None:
            parts = graded_queries(y, queries)
            return float(np.mean([ndcg_score([relative_gains(y[rows])], [scores[rows]]) for rows in parts]))
        relevant = y >= self.relevant_from_
        parts = rankable_queries(relevant, queries)
        return float(np.mean([average_precision_score(relevant[rows], scores[rows]) for rows in parts]))

    def _problem(self, X, y, queries, weights):
        """Returns the lowest relevant grade, and (X, relevant, queries, weights, share) of queries with two classes.

        `share` is what the queries weigh together, relative to the queries of y that can be ranked.
        """
        if grades_to_use(self.grades, y, self.relevant_from) == "binary":
            lowest = self._lowest_relevant(y)
            check_rankable(y >= lowest, queries)
            return lowest, (X, y >= lowest, queries, weights, 1.0)
        if self.relevant_from is not None:
            raise ValueError(f"relevant_from must be None with grades='thresholds', got {self.relevant_from!r}")
        copies = threshold_copies(y, queries, weights)
        return None, (X[copies.rows], copies.relevant, copies.groups, copies.weights, copies.share)

    def _lowest_relevant(self, y):
        if self.relevant_from is not None:
            return checks.finite_number(self.relevant_from, "relevant_from")
        above = y[y > y.min()]
        return float(above.min()) if above.size else np.inf
