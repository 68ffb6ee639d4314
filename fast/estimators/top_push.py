"""TopPush as a scikit-learn classifier of many classes."""

from __future__ import annotations

from typing import Self

from reference.problems.checks.types import Array, Matrix

from ..topk_baselines import fit_top_push
from ._options import RandomSource
from ._top_rank import TopRankClassifier


class TopPushClassifier(TopRankClassifier):
    r"""TopPush for many classes, trained to a certified duality gap.

    .. math::

        \arg\min_W \; \tfrac12 \|W\|^2
        + C \sum_i s_i \max(0, \; 1 + \text{highest negative score} - \langle w_{y_i}, x_i \rangle)^2

    multi_class="reduction" solves one problem. Its samples are all pairs of an example i and a class j, with scores
    :math:`\langle w_j, x_i \rangle`. The pairs with :math:`y_i = j` are the positives, all others the negatives. The
    true class of every example should thus score higher than any wrong class of any example.

    multi_class="ovr" solves one problem a class. For :math:`w_j` the sum runs over the examples of class j, and the
    negatives are the scores of the examples of other classes.

    Parameters
    ----------
    C : float, > 0
        The cost of a loss. In terms of `fit_top_push`, :math:`\lambda` is :math:`1 / (C P)`, where P is the sum of the
        weights :math:`s_i` of the positives. Without weights that is n for "reduction", and the number of examples of
        the class for "ovr".
    multi_class : {"reduction", "ovr"}
        Solve one problem, or one problem a class.
    tol : float, >= 0, or "auto"
        The relative duality gap at which to stop. "auto" is 1e-3, or 1e-12 for a small problem, with at most 100
        examples and n d m <= 10 000. A small problem that does not reach 1e-12 in `max_iter` passes gives no warning
        if it reaches 1e-3.
    max_iter : int, >= 1
        The largest number of passes over all samples.
    fit_intercept : bool
        For "reduction", append a feature that is always 1, whose weight is penalised like the others. For "ovr" the
        weight of such a feature would be 0, because the loss does not change if all scores of a class do. The intercept
        is then minus the score in the middle of the margin, which is 1/2 above the highest negative. Without it, scores
        of different classes are not comparable if the features are not centred.
    warm_start : bool
        Start from the duals of the last fit, if there are as many examples with the same labels, and the same ones have
        a weight of 0.
    random_state : int, RandomState, Generator or None
        Determines the visiting order. The optimum does not depend on it.
    verbose : int
        Show a progress bar for each problem if it is not 0.
    n_jobs : int, optional
        Number of threads, or -1 for one per processor. The default is one. The result does not depend on
        it. A fit uses one for each problem of multi_class="ovr", and a prediction all of them.

    Attributes
    ----------
    classes_ : array, shape (m,)
    coef_ : array, shape (m, d)
        W transposed.
    intercept_ : array, shape (m,)
    duals_ : float64 array, shape (n, m)
        The duals of `fit_top_push`. For "ovr", column j holds those of class j.
    duality_gap_ : float
        (primal - dual) / primal of W as returned: an upper bound on its relative distance from the optimum. For "ovr"
        it is the largest of all classes.
    n_iter_ : int
        The number of passes over all samples. For "ovr" it is the largest of all classes.
    history_ : recarray, or list of recarray for "ovr"
        One record (primal, dual, gap, seconds) a pass. Its primal and dual are those of the problem above, divided by
        C P.
    n_features_in_ : int
    feature_names_in_ : array of str
        Present if X has feature names.

    Notes
    -----
    X keeps the dtype float32. CSR becomes a dense array only if the ascent is slow, and X has at most 1000 features and
    10 million numbers; other sparse formats are converted to CSR. A ``ConvergenceWarning`` is given if the gap is
    still above `tol` after `max_iter` passes.

    The weight :math:`s_i` of an example multiplies its loss. For other examples it matters only whether :math:`s_i` is
    0: an example of weight 0 is no negative, and all others are negatives alike, because only the highest of them
    counts. So a weight of 2 is the same as the example given twice, a weight of 0 the same as its absence, and a
    multiplication of all weights the same as one of C. For "reduction", a class without weighted examples remains in
    `classes_`, as a wrong class of the others. For "ovr" each class needs a weighted example.

    References
    ----------
    * Paper 004 (Lapin, Hein, Schiele: Top-k Multiclass SVM, 2015), sections 2.3 and 6.2.
    * Paper (Li, Jin, Zhou: Top Rank Optimization in Linear Time, 2014).

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]]), ["ant", "bee", "cow"]
    >>> push = TopPushClassifier(C=10.0).fit(X, y)
    >>> push.predict_topk([[0.9, 0.1]], k=2)
    array([['ant', 'bee']], dtype='<U3')
    """

    def __init__(
        self, C: float = 1.0, multi_class: str = "reduction", tol: float | str = "auto", max_iter: int = 1000,
        fit_intercept: bool = False, warm_start: bool = False, random_state: RandomSource = None, verbose: int = 0,
        n_jobs: int | None = None,
    ) -> None:  # fmt: skip
        self.C = C
        self.multi_class = multi_class
        self.tol = tol
        self.max_iter = max_iter
        self.fit_intercept = fit_intercept
        self.warm_start = warm_start
        self.random_state = random_state
        self.verbose = verbose
        self.n_jobs = n_jobs

    def fit(self, X: Matrix, y: Array, sample_weight: Array | None = None) -> Self:
        """Maximise the dual until the relative duality gap is at most `tol`: of one problem, or of one a class.

        Parameters
        ----------
        X : array or scipy sparse matrix, shape (n, d)
        y : array, shape (n,)
            Class labels of any type.
        sample_weight : array, shape (n,), >= 0, optional
            :math:`s_i`. The default is 1.

        Returns
        -------
        self : TopPushClassifier
        """
        return self._fit(X, y, sample_weight)

    def _solve(self, X, relevant, **options):
        return fit_top_push(X, relevant, **options)

    def _weights_of_duals(self, weights):
        return weights > 0

    def _threshold(self, scores, relevant, weights):
        return scores[~relevant].max() + 0.5
