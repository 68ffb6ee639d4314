"""The top-k multiclass SVM and softmax regression, linear or with a kernel, as a scikit-learn classifier."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

from sklearn.base import BaseEstimator

from reference.problems import checks
from reference.problems.checks.types import Array, Floats, History, Integers, Matrix

from ..entropy_fits import fit_topk_entropy, fit_topk_entropy_kernel
from ..topk_svm import fit_topk_svm, fit_topk_svm_kernel
from ._base import TopKMixin
from ._features import (
    KERNELS,
    inner_products,
    linear_scorer,
    new_examples,
    rbf_gamma,
    training_examples,
    with_ones,
    without_ones,
)
from ._labels import check_weighted_classes, classes_and_labels, sample_weights, weighted_by_class
from ._options import ClassWeight, RandomSource, draw_seeds, regularization_of, threads_of, tolerance_of
from ._svc.softmax import SoftmaxMixin
from ._svc.solving import solve
from ._svc.warm_duals import ENTROPY, Solved, rows_with_duals, starting_duals

MOST_DENSE_DUALS = 2**20  # 8 MB: with more duals, most of which are usually 0, they are kept sparsely
LOSSES = ("hinge", "smooth_hinge", ENTROPY)


class TopKSVC(SoftmaxMixin, TopKMixin, BaseEstimator):
    r"""The top-k multiclass SVM, trained to a certified duality gap.

    .. math::

        \arg\min_W \; \tfrac12 \|W\|^2 + C \sum_{i=1}^n s_i \, \text{loss}(W^\top x_i, y_i)

    Here :math:`s_i` is the weight of example i. The fit maximises the dual:

    .. math::

        \arg\max_A \; \sum_{i=1}^n g_i(A_i) - \tfrac12 \text{trace}(A^\top K A)

    K holds the inner products of the examples. Row i of A is in the dual domain of the loss, scaled by :math:`C s_i`,
    and :math:`g_i(A_i) = A_{i, y_i}` for the hinge. The weights are :math:`W = X^\top A`. In terms of `fit_topk_svm`,
    :math:`\lambda` is :math:`1 / (C n)`, where n is the number of rows of X. For k = 1 this is the multiclass SVM of
    Crammer and Singer, or softmax regression with loss="entropy".

    Parameters
    ----------
    k : int in 1..m-1
        The number of guesses that the classifier may make. The loss depends on the k best rivals of the true class.
    kind : {"alpha", "beta", "alpha_inclusive"}
        Which top-k hinge loss, see `topk_hinge`. It has no meaning with the entropy.
    C : float, > 0
        The cost of a loss.
    kernel : {"linear", "rbf", "precomputed"} or function
        With "precomputed", X is the matrix (n, n) of inner products in `fit`, and the inner products of new examples
        with these n in the other methods. A function takes two sets of examples and returns their inner products.
    gamma : {"scale", "auto"} or float, > 0
        The parameter of rbf, :math:`\exp(-\gamma \|x - z\|^2)`. "scale" is 1 / (d variance of X), with rows weighted by
        sample_weight; "auto" is 1 / d.
    fit_intercept : bool
        Append a feature that is always 1 (for a kernel, K + 1). Its weight is the intercept. It is penalised like the
        other weights.
    tol : float, >= 0, or "auto"
        The relative duality gap at which to stop. "auto" is 1e-3, or 1e-12 for a small problem, with at most 100
        examples and n d m <= 10 000. A small problem that does not reach 1e-12 in 100 epochs is solved to 1e-3, and
        gives a warning only above that. With a smooth loss, it is solved to 1e-3, and up to 90 epochs more take it
        to the gap 0 as computed.
    max_iter : int, >= 1
        The largest number of epochs.
    class_weight : dict, "balanced" or None
        Weights of the classes, which multiply those of the examples. "balanced" is n / (m count of a class).
    warm_start : bool
        Start from the duals of the last fit, moved into their new domains, if there are as many examples, and the
        classes, k and kind are the same. The hinge and the smooth hinge can start from each other, and the entropy
        only from itself. An example whose label has changed, or whose weight was 0, starts at 0.
    random_state : int, RandomState, Generator or None
        Determines the visiting order. The optimum does not depend on it.
    verbose : int
        Show a progress bar if it is not 0.
    n_jobs : int, optional
        Number of threads of a fit or a prediction, or -1 for one per processor. The default is one. The result does not
        depend on it. A fit uses them whenever it computes the scores of all examples.
    loss : {"hinge", "smooth_hinge", "entropy"}
        "hinge" and "smooth_hinge" are `topk_hinge` without and with `smoothing`. "entropy" is `topk_entropy`, with
        which the classifier has `predict_proba`. For k = 1 it is the cross-entropy of softmax.
    smoothing : float, > 0
        :math:`\gamma` of the smooth hinge. It has no meaning with the other losses.

    Attributes
    ----------
    classes_ : array, shape (m,)
    coef_ : array, shape (m, d)
        W transposed; only with the linear kernel.
    intercept_ : array, shape (m,)
    dual_coef_ : array or scipy CSR array, shape (n, m)
        A. Each of its rows sums to 0. It is CSR if n m is above 2**20, in any fit with a hinge: it then takes 12 bytes
        for each dual that is not 0, in place of 8 bytes for each dual. With the entropy, hardly any dual is 0.
    support_ : int array
        The indices of the rows of A that are not 0.
    duality_gap_ : float
        (primal - dual) / primal of the duals as returned: an upper bound on the relative distance from the optimum.
    n_iter_ : int
        The number of epochs.
    history_ : recarray
        One record (primal, dual, gap, seconds) an epoch. Its primal and dual are those of the problem above, divided
        by C n.
    n_features_in_ : int
    feature_names_in_ : array of str
        Present if X has feature names.

    Notes
    -----
    For k = 1 the objective is that of ``LinearSVC(multi_class="crammer_singer")``: the penalty is that of one matrix W.
    X keeps the dtype float32. CSR is not converted to a dense array; other sparse formats are converted to CSR. A
    ``ConvergenceWarning`` is given if the gap is still above `tol` after `max_iter` epochs.

    With the smooth hinge, :math:`g_i(A_i) = A_{i, y_i} - \tfrac{\gamma}{2 C s_i} \sum_j A_{ij}^2` over the rivals j of
    :math:`y_i`. With the entropy, :math:`g_i(A_i)` is :math:`C s_i` times the entropy of the shares
    :math:`-A_{ij} / (C s_i)` of the rivals and of what they leave.

    References
    ----------
    * Paper 004 (Lapin, Hein, Schiele: Top-k Multiclass SVM, 2015), algorithm 1 with Theorem 1.
    * Paper (Lapin, Hein, Schiele: Loss Functions for Top-k Error, 2016), for the smooth hinge and the entropy.

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]]), ["ant", "bee", "cow"]
    >>> svc = TopKSVC(C=10.0, tol=1e-6).fit(X, y)
    >>> svc.predict([[0.9, 0.1]])
    array(['ant'], dtype='<U3')
    >>> svc.predict_topk([[0.9, 0.1]], k=2)
    array([['ant', 'bee']], dtype='<U3')
    """

    coef_: Floats
    intercept_: Floats
    dual_coef_: Floats | Any  # CSR if there are many
    support_: Integers
    duality_gap_: float
    n_iter_: int
    history_: History

    _on_dask = "call fast.distributed.fit_topk_svm(X, y, ...)"

    def __init__(
        self, k: int = 1, kind: str = "alpha", C: float = 1.0, kernel: str | Callable[[Any, Any], Any] = "linear",
        gamma: str | float = "scale", fit_intercept: bool = True, tol: float | str = "auto", max_iter: int = 1000,
        class_weight: ClassWeight = None, warm_start: bool = False, random_state: RandomSource = None, verbose: int = 0,
        n_jobs: int | None = None, loss: str = "hinge", smoothing: float = 1.0,
    ) -> None:  # fmt: skip
        self.k = k
        self.kind = kind
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.random_state = random_state
        self.verbose = verbose
        self.n_jobs = n_jobs
        self.loss = loss
        self.smoothing = smoothing

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise, tags.input_tags.sparse = self._is_precomputed(), not self._is_precomputed()
        return tags

    def fit(self, X: Matrix, y: Array, sample_weight: Array | None = None) -> Self:
        """Maximise the dual until the relative duality gap is at most `tol`.

        Parameters
        ----------
        X : array or scipy sparse matrix, shape (n, d)
        y : array, shape (n,)
            Class labels of any type.
        sample_weight : array, shape (n,), >= 0, optional
            :math:`s_i`. The default is 1.

        Returns
        -------
        self : TopKSVC
        """
        self._check_options()
        X, y = training_examples(self, X, y, self._sparse_formats())
        classes, labels = classes_and_labels(y)
        checks.count(self.k, "k", len(classes) - 1)
        rows = sample_weights(sample_weight, X)
        check_weighted_classes(classes, labels, rows, "sample_weight")
        weights = weighted_by_class(self.class_weight, classes, y, labels, rows)
        check_weighted_classes(classes, labels, weights, "class_weight")
        now = Solved(classes, labels, self.C * weights, self.k, self._domain())
        goes_on = self.warm_start and hasattr(self, "_solved")
        options = {
            "k": self.k, "regularization": regularization_of(self.C, len(y)),
            "tol": tolerance_of(self.tol, *X.shape, len(classes)), "max_epochs": self.max_iter,
            "seed": int(draw_seeds(self.random_state)),
            "sample_weight": weights,
            "duals": starting_duals(self.dual_coef_, self._solved, now) if goes_on else None,
            "n_jobs": threads_of(self.n_jobs), "progress": bool(self.verbose),
        }  # fmt: skip
        if self.loss != ENTROPY:
            smoothing = self.smoothing if self.loss == "smooth_hinge" else 0.0
            sparse_duals = len(y) * len(classes) > MOST_DENSE_DUALS
            options |= {"kind": self.kind, "smoothing": smoothing, "sparse_duals": sparse_duals}
        gamma = self._gamma_of(X, None if sample_weight is None else rows)
        fit = self._solve(X, labels, gamma, options)
        self._remember(X, fit, now, gamma)
        return self

    def _solve(self, X, labels, gamma, options):
        """Returns the fit with the features or with the kernel."""
        if self._is_linear():
            fit = fit_topk_entropy if self.loss == ENTROPY else fit_topk_svm
            examples = with_ones(X, self.fit_intercept)
        else:
            fit = fit_topk_entropy_kernel if self.loss == ENTROPY else fit_topk_svm_kernel
            examples = self._gram(X, gamma)
        return solve(fit, examples, labels, options, self.tol, is_smooth=self.loss != "hinge")

    def _remember(self, X, fit, solved, gamma):
        self.classes_, self._gamma = solved.classes, gamma
        vars(self).pop("coef_", None)  # an earlier fit may have had the linear kernel
        if self._is_linear():
            self.coef_, self.intercept_ = without_ones(fit.weights.T, self.fit_intercept)
        else:
            self.intercept_ = fit.duals.sum(axis=0) * self.fit_intercept
        self.dual_coef_, self.support_ = fit.duals, rows_with_duals(fit.duals)
        self.duality_gap_, self.n_iter_, self.history_ = fit.gap, fit.epochs, fit.history
        self._solved = solved
        keep_rows = not self._is_linear() and not self._is_precomputed()
        self._support_vectors = X[self.support_] if keep_rows else None

    def _checked(self, X):
        return new_examples(self, X, self._sparse_formats())

    def _scorer(self, X):
        if self._is_linear():
            return linear_scorer(X, self.coef_, self.intercept_)
        duals, is_precomputed = self.dual_coef_[self.support_], self._is_precomputed()

        def scores(first, last):
            if is_precomputed:
                K = X[first:last, self.support_]
            else:
                K = inner_products(self.kernel, X[first:last], self._support_vectors, self._gamma)
            return K @ duals + self.intercept_

        return scores

    def _width(self):
        return len(self.classes_) if self._is_linear() else max(len(self.classes_), len(self.support_))

    def _check_options(self):
        checks.positive(self.C, "C")
        checks.choice(self.loss, "loss", LOSSES)
        checks.choice(self.kind, "kind", checks.KINDS)
        if self.loss == "smooth_hinge":
            checks.positive(self.smoothing, "smoothing")
        checks.count(self.max_iter, "max_iter")
        checks.flag(self.fit_intercept, "fit_intercept")
        checks.flag(self.warm_start, "warm_start")
        if not callable(self.kernel) and self.kernel not in KERNELS:
            raise ValueError(
                f"kernel must be one of {', '.join(map(repr, KERNELS))}, or a function, got {self.kernel!r}"
            )
        if not (isinstance(self.gamma, str) and self.gamma in ("scale", "auto")):
            checks.positive(self.gamma, "gamma")

    def _domain(self):
        """Returns which dual domain the loss has."""
        return ENTROPY if self.loss == ENTROPY else self.kind

    def _is_linear(self):
        return isinstance(self.kernel, str) and self.kernel == "linear"

    def _is_precomputed(self):
        return isinstance(self.kernel, str) and self.kernel == "precomputed"

    def _sparse_formats(self):
        return False if self._is_precomputed() else "csr"

    def _gamma_of(self, X, rows):
        """Returns the number that gamma stands for, or None if the kernel does not use it."""
        is_rbf = isinstance(self.kernel, str) and self.kernel == "rbf"
        return rbf_gamma(self.gamma, X, rows) if is_rbf else None

    def _gram(self, X, gamma):
        """Returns the inner products (n, n) of the examples, plus 1 if an intercept is fitted."""
        K = X if self._is_precomputed() else inner_products(self.kernel, X, X, gamma)
        if K.shape[0] != K.shape[1]:
            raise ValueError(f"X must be square with kernel='precomputed', got shape {K.shape}")
        return K + K.dtype.type(1) if self.fit_intercept else K
