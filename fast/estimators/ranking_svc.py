"""The structured ranking SVM as a scikit-learn estimator, whose predictions are scores to sort by."""

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.metrics import average_precision_score
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.validation import check_array, check_consistent_length, column_or_1d, validate_data

from reference import contract

from ..ranking_svm import fit_ranking_svm
from ._features import FLOATS, new_examples
from ._options import regularization_of


class RankingSVC(BaseEstimator):
    """argmin_w 1/2 |w|^2 + C mean over queries of max_R [loss(R) + F(R) - F(R*)],  with scores X w.

    R is a ranking of the samples of a query, and R* is one that has all relevant samples first. F(R) is the mean over
    all pairs of a relevant and an irrelevant sample of the difference of their scores, with a minus sign where R has
    the irrelevant one first. In terms of `fit_ranking_svm`, lambda is 1 / C. As in Joachims' formulation, the losses of
    the queries are averaged and not added, so that a C that suits some queries also suits more of them.

    Parameters
    ----------
    loss : {"ap", "ndcg", "auc", "zero_one"} or QSLoss
        1 - average precision, 1 - NDCG, the share of pairs in the wrong order, or the hinge of each sample on its own.
    C : float, > 0
        The cost of the mean loss.
    relevant_from : float, optional
        A sample is relevant if its grade is at least this number. The default is the second lowest grade of the fit.
    tol : float, >= 0
        The relative duality gap at which to stop.
    max_iter : int, >= 1
        The largest number of cutting planes.
    verbose : int
        Show a progress bar if it is not 0.

    Attributes
    ----------
    coef_ : array, shape (d,)
        w.
    relevant_from_ : float
        The lowest grade of a relevant sample.
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
    Source: 002, problem (4); Joachims, Finley and Yu 2009.

    Examples
    --------
    >>> import numpy as np
    >>> X, grades = np.array([[1.0, 0.0], [0.8, 1.0], [0.0, 1.0], [-1.0, 0.5]]), [2, 1, 0, 0]
    >>> ranker = RankingSVC(C=10.0, tol=1e-6).fit(X, grades)
    >>> np.argsort(-ranker.predict(X))
    array([0, 1, 2, 3])
    >>> ranker.score(X, grades)
    1.0
    """

    def __init__(self, loss="ap", C=1.0, relevant_from=None, tol=1e-3, max_iter=1000, verbose=0):
        self.loss = loss
        self.C = C
        self.relevant_from = relevant_from
        self.tol = tol
        self.max_iter = max_iter
        self.verbose = verbose

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = tags.target_tags.required = True
        return tags

    def fit(self, X, y, qid=None, query_weight=None):
        """Add cutting planes until the relative duality gap is at most `tol`.

        Parameters
        ----------
        X : array or scipy sparse matrix, shape (n, d)
        y : array, shape (n,)
            Grades. By default, samples of the lowest grade are irrelevant: for grades 0, 1, 2, ... those of grade 0.
        qid : array, shape (n,), optional
            The query of each sample, in any order and of any type. By default, all samples belong to one query.
        query_weight : array, shape (n,), >= 0, optional
            The weight of the sample's query in the mean, the same number for all samples of a query. Weight 2 is the
            same as giving the query twice. Samples have no weights of their own, because the loss of a query is not a
            sum over its samples.

        Returns
        -------
        self : RankingSVC
        """
        contract.positive(self.C, "C")
        contract.count(self.max_iter, "max_iter")
        X, y = validate_data(
            self, X, y, accept_sparse="csr", dtype=FLOATS, y_numeric=True, ensure_min_samples=2
        )
        y = check_array(y, ensure_2d=False, dtype=np.float64, input_name="y")  # refuses text
        lowest, queries = self._lowest_relevant(y), _queries(qid, len(y))
        relevant = y >= lowest
        _rankable_queries(relevant, queries)
        fit = fit_ranking_svm(
            X, relevant, groups=queries, group_weight=_query_weights(query_weight, len(y)), loss=self.loss,
            regularization=regularization_of(self.C, 1, "C"), tol=self.tol, max_iterations=self.max_iter,
            progress=bool(self.verbose),
        )  # fmt: skip
        self.coef_, self.relevant_from_, self.duality_gap_ = fit.weights, lowest, fit.gap
        self.n_iter_, self.history_ = fit.iterations, fit.history
        return self

    def predict(self, X):
        """Compute the scores to sort by, largest first.

        Parameters
        ----------
        X : array or scipy sparse matrix, shape (n, d)

        Returns
        -------
        scores : array, shape (n,)
        """
        return safe_sparse_dot(new_examples(self, X), self.coef_, dense_output=True)

    def score(self, X, y, qid=None):
        """Compute the mean average precision of the queries that have both relevant and irrelevant samples.

        Parameters
        ----------
        X : array or scipy sparse matrix, shape (n, d)
        y : array, shape (n,)
            Grades.
        qid : array, shape (n,), optional

        Returns
        -------
        score : float
            The mean of scikit-learn's `average_precision_score`.
        """
        scores, y = self.predict(X), check_array(column_or_1d(y), ensure_2d=False, dtype=np.float64, input_name="y")
        check_consistent_length(scores, y)
        relevant = y >= self.relevant_from_
        queries = _rankable_queries(relevant, _queries(qid, len(y)))
        return float(np.mean([average_precision_score(relevant[rows], scores[rows]) for rows in queries]))

    def _lowest_relevant(self, y):
        if self.relevant_from is not None:
            return contract.finite_number(self.relevant_from, "relevant_from")
        above = y[y > y.min()]
        return float(above.min()) if above.size else np.inf


def _queries(qid, n):
    """Returns the queries (n,) as numbers 0, 1, 2, ..."""
    if qid is None:
        return np.zeros(n, np.int64)
    qid = column_or_1d(qid)
    if len(qid) != n:
        raise ValueError(f"qid must have shape ({n},), one query a sample, got shape {qid.shape}")
    if (qid != qid).any() or any(query is None for query in qid.tolist()):
        raise ValueError("qid must name the query of each sample, got NaN or None")
    return np.unique(qid, return_inverse=True)[1].reshape(-1).astype(np.int64)


def _query_weights(query_weight, n):
    """Returns the weights (n,) of the samples' queries, or None if none are given."""
    if query_weight is None:
        return None
    weights = column_or_1d(query_weight)
    if len(weights) != n:
        raise ValueError(f"query_weight must have shape ({n},), one weight a sample, got shape {weights.shape}")
    return weights


def _rankable_queries(relevant, queries):
    """Returns the rows of each query that has both relevant and irrelevant samples. ValueError if there is none."""
    rows = np.argsort(queries, kind="stable")
    by_query = np.split(rows, np.flatnonzero(np.diff(queries[rows])) + 1)
    both = [part for part in by_query if 0 < np.count_nonzero(relevant[part]) < len(part)]
    if not both:
        raise ValueError(
            "y must have a query with both relevant and irrelevant samples, got none: lower or raise relevant_from"
        )
    return both
