"""SVMperf as a scikit-learn classifier of many classes."""

from __future__ import annotations

from typing import Self

import numpy as np

from reference.problems import checks
from reference.problems.checks.types import Array, Matrix

from .._svm.top_rank import highest_of_weight
from ..topk_baselines import fit_svm_perf
from ._options import RandomSource
from ._top_rank import TopRankClassifier


class SVMPerfClassifier(TopRankClassifier):
    r"""SVMperf for many classes, trained to a certified duality gap.

    .. math::

        \arg\min_W \; \tfrac12 \|W\|^2 + C P \max \left( 0, \;
        \max_{|S| = k P} \; \text{loss}(S) + F(S) - F(\text{positives}) \right)

    multi_class="reduction" solves one problem. Its samples are all pairs of an example i and a class j, with scores
    :math:`\langle w_j, x_i \rangle`. The P = n pairs with :math:`y_i = j` are the positives. S is a set of k n samples
    that are predicted positive, k for each example on average.

    multi_class="ovr" solves one problem a class. Its P positives are the examples of that class, and S is a set of k P
    of the n examples. For k = 1 this is a binary support vector machine with cost 2 C and an intercept that is not
    penalised; :math:`w_j` is half of its weights.

    F(S) - F(positives) is the sum of the scores of the negatives in S, minus the sum of the scores of the positives
    that are not in S, divided by P. With sample_weight, P and the size of S are weights, as in `fit_svm_perf`.

    Parameters
    ----------
    k : int in 1..m-1
        The number of samples that are predicted positive, divided by P. For "ovr", k P must be below n for every class,
        or with weights below the sum of all.
    loss : {"recall", "precision"}
        The share of the positives that are not in S, or the share of S that is negative. For k = 1 they are the same.
    C : float, > 0
        The cost of a loss. In terms of `fit_svm_perf`, :math:`\lambda` is :math:`1 / (C P)`.
    multi_class : {"reduction", "ovr"}
        Solve one problem, or one problem a class.
    tol : float, >= 0, or "auto"
        The relative duality gap at which to stop. "auto" is as in `TopPushClassifier`.
    max_iter : int, >= 1
        The largest number of passes over all samples, or of cutting planes.
    fit_intercept : bool
        For "reduction", append a feature that is always 1, whose weight is penalised like the others. For "ovr" the
        intercept is minus the score in the middle of the margin, between the samples in the worst S and the others.
        Without it, scores of different classes are not comparable if the features are not centred.
    warm_start : bool
        Start from the duals of the last fit, if k is the same and there are as many examples with the same labels and
        weights. The cutting planes that are used for k > 1 or few features may not need fewer iterations then.
    random_state : int, RandomState, Generator or None
        Determines the visiting order, if there is one. The optimum does not depend on it.
    verbose : int
        Show a progress bar for each problem if it is not 0.
    n_jobs : int, optional
        Number of threads, or -1 for one per processor. The default is one. The result does not depend on
        it. A fit uses one for each problem of multi_class="ovr", and a prediction all of them.

    Attributes
    ----------
    duals_ : float64 array, shape (n, m)
        The share of the cutting planes in which each sample is selected. For "ovr", column j holds those of class j.
    n_iter_ : int
        The number of passes over all samples, or of cutting planes. For "ovr" it is the largest of all classes.
    classes_, coef_, intercept_, duality_gap_, history_, n_features_in_, feature_names_in_
        As in `TopPushClassifier`.

    Notes
    -----
    For k > 1 no S equals the set of positives, and the hinge can be 0 if all scores are equal and negative. It is then
    no upper bound on the loss, and k = 1 often gives better results, even for k guesses. By default `predict_topk`
    makes k guesses.

    X keeps the dtype float32. CSR is not converted to a dense array; other sparse formats are converted to CSR. A
    ``ConvergenceWarning`` is given if the gap is still above `tol` after `max_iter` iterations.

    An example of weight :math:`s_i` counts :math:`s_i` times, in P, in the loss, in F, and in the size of S. So a
    weight of 2 is the same as the example given twice, a weight of 0 the same as its absence, and a multiplication of
    all weights the same as one of C. S may hold a part of an example. For "reduction", a class without weighted
    examples remains in `classes_`, as a wrong class of the others. For "ovr" each class needs a weighted example.

    References
    ----------
    * Paper 004 (Lapin, Hein, Schiele: Top-k Multiclass SVM, 2015), sections 2.3 and 6.2.
    * Paper (Joachims: A Support Vector Method for Multivariate Performance Measures, 2005).
    * Paper (Kar, Narasimhan, Jain: Surrogate Functions for Maximizing Precision at the Top, 2015).

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]]), ["ant", "bee", "cow"]
    >>> perf = SVMPerfClassifier(C=10.0).fit(X, y)
    >>> perf.predict_topk([[0.9, 0.1]], k=2)
    array([['ant', 'bee']], dtype='<U3')
    """

    def __init__(
        self, k: int = 1, loss: str = "recall", C: float = 1.0, multi_class: str = "reduction",
        tol: float | str = "auto", max_iter: int = 1000, fit_intercept: bool = False, warm_start: bool = False,
        random_state: RandomSource = None, verbose: int = 0, n_jobs: int | None = None,
    ) -> None:  # fmt: skip
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
        self : SVMPerfClassifier
        """
        return self._fit(X, y, sample_weight)

    def _solve(self, X, relevant, sample_weight=None, **options):
        size = self.k * np.count_nonzero(relevant)
        if sample_weight is not None:  # one positive a row at most
            size, options["sample_weight"] = self.k * sample_weight[np.nonzero(relevant)[0]].sum(), sample_weight
        return fit_svm_perf(X, relevant, k=size, loss=self.loss, **options)

    def _threshold(self, scores, relevant, weights):
        """Returns the score between the worst S and the other samples.

        S holds the samples with the largest score, of weight k P, where a positive counts as its score minus the
        margin. The threshold is the smallest of these numbers, moved to the middle of the margin.
        """
        size, margin = self.k * weights[relevant].sum(), 1.0 if self.loss == "recall" else 1 / self.k
        return highest_of_weight(scores - margin * relevant, weights, size) + margin / 2

    def _check_class_sizes(self, classes, labels, weights):
        checks.count(self.k, "k", len(classes) - 1)
        sizes, everything = np.bincount(labels, weights), weights.sum()
        if not self._is_reduced() and self.k * sizes.max() >= everything:
            size = f"{sizes.max():g} of {everything:g} examples"
            raise ValueError(
                f"k must be below n / size of a class for multi_class='ovr', got {self.k} with {size} in one class"
            )
