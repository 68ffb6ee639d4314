"""The top-k multiclass SVM, linear or with a kernel, as a scikit-learn classifier."""

import warnings

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.validation import check_is_fitted, validate_data

from reference import contract

from ..topk_svm import fit_topk_svm, fit_topk_svm_kernel
from ._base import TopKMixin
from ._labels import (
    check_weighted_classes,
    classes_and_labels,
    draw_seeds,
    inverse,
    sample_weights,
    weighted_by_class,
    with_ones,
    without_ones,
)
from ._warm_duals import Solved, starting_duals

KERNELS = ("linear", "rbf", "precomputed")
USUAL, EXACT = 1e-3, 1e-12  # what tol="auto" is, in general and for small problems:
FEW, LITTLE = 100, 10_000  # examples, and numbers n d m


class TopKSVC(TopKMixin, BaseEstimator):
    """argmin_W 1/2 |W|^2 + C sum_i s_i loss(W' x_i, y_i): the top-k multiclass SVM, to a certified duality gap.

    What is solved is the dual, argmax_A sum_i A[i, y_i] - 1/2 trace(A' K A), with the inner products K of the examples
    and row i of A in the dual domain of the loss, scaled by C s_i. W = X' A. In terms of `fit_topk_svm`, lambda is
    1 / (C n), where n is the number of rows of X, and k = 1 is the multiclass SVM of Crammer and Singer.

    Parameters
    ----------
    k : int in 1..m-1
        The loss looks at the k best rivals of the true class: the classifier may guess k times.
    kind : {"alpha", "beta", "alpha_inclusive"}
        Which top-k hinge loss, see `topk_hinge`.
    C : float, > 0
        How much a loss costs.
    kernel : {"linear", "rbf", "precomputed"} or function
        "precomputed": `fit` is given the inner products (n, n), and the other methods those of new examples with the
        n. A function is given two sets of examples and returns their inner products.
    gamma : {"scale", "auto"} or float, > 0
        rbf is exp(-gamma |x - z|^2); "scale" is 1 / (d variance of X, rows weighted by sample_weight), "auto" 1 / d.
    fit_intercept : bool
        Append a feature that is always 1 (K + 1 for a kernel), and take its weight for the intercept. It is penalised
        as the other weights are.
    tol : float, >= 0, or "auto"
        The relative duality gap at which to stop; "auto" is 1e-3. With up to 100 examples and n d m <= 10 000 it goes
        on to 1e-12, if the epochs allow it, which costs little there: what should be the same, is to seven digits.
    max_iter : int, >= 1
        How many epochs at most.
    class_weight : dict, "balanced" or None
        Weights of the classes, by which those of the examples are multiplied; "balanced" is n / (m count of a class).
    warm_start : bool
        Start from the duals of the last fit, moved into their new domains, if there are as many examples, the same
        classes, k and kind. An example whose label is another, or whose weight was 0, starts at 0.
    random_state : int, RandomState or None
        Of the visiting order: the optimum does not depend on it.
    verbose : int
        Show a progress bar, if not 0.

    Attributes
    ----------
    classes_ : array, shape (m,)
    coef_ : array, shape (m, d)
        W transposed; only with the linear kernel.
    intercept_ : array, shape (m,)
    dual_coef_ : array, shape (n, m)
        A. Its rows sum to 0.
    support_ : int array
        The rows of A that are not 0.
    duality_gap_ : float
        (primal - dual) / primal of the duals as returned: a proof of how good the fit is.
    n_iter_ : int
        Epochs.
    history_ : recarray
        One record (primal, dual, gap, seconds) an epoch; primal and dual are those above over C n.
    n_features_in_ : int
    feature_names_in_ : array of str
        If X has them.

    Notes
    -----
    The penalty is of the one matrix W, as in `LinearSVC(multi_class="crammer_singer")`, whose objective this is for
    k = 1. X stays float32 if it is; CSR is read as it is, other sparse matrices are converted. A
    `ConvergenceWarning` says that the gap is above `tol` when the epochs are used up.
    Source: 004, Theorem 1 and algorithm 1.

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

    def __init__(
        self, k=1, kind="alpha", C=1.0, kernel="linear", gamma="scale", fit_intercept=True, tol="auto", max_iter=1000,
        class_weight=None, warm_start=False, random_state=None, verbose=0,
    ):  # fmt: skip
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

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        precomputed = isinstance(self.kernel, str) and self.kernel == "precomputed"
        tags.input_tags.pairwise, tags.input_tags.sparse = precomputed, not precomputed
        return tags

    def fit(self, X, y, sample_weight=None):
        """Maximise the dual until the gap is closed.

        Parameters
        ----------
        X : array or scipy sparse matrix, shape (n, d)
        y : array, shape (n,)
            Class labels of any type.
        sample_weight : array, shape (n,), >= 0, optional
            s_i; 1 if not given.

        Returns
        -------
        self : TopKSVC
        """
        self._check_options()
        sparse_formats = False if self.__sklearn_tags__().input_tags.pairwise else "csr"
        X, y = validate_data(self, X, y, accept_sparse=sparse_formats, dtype=[np.float64, np.float32])
        classes, labels = classes_and_labels(y)
        contract.count(self.k, "k", len(classes) - 1)
        rows = sample_weights(sample_weight, X)
        check_weighted_classes(classes, labels, rows, "sample_weight")
        weights = weighted_by_class(self.class_weight, classes, y, labels, rows)
        check_weighted_classes(classes, labels, weights, "class_weight")
        now = Solved(classes, labels, self.C * weights, self.k, self.kind)
        goes_on = self.warm_start and hasattr(self, "_solved")
        options = {
            "k": self.k, "kind": self.kind, "regularization": inverse(self.C, len(y)),
            "tol": self._tolerance(X, classes), "max_epochs": self.max_iter, "seed": int(draw_seeds(self.random_state)),
            "sample_weight": weights,
            "duals": starting_duals(self.dual_coef_, self._solved, now) if goes_on else None,
            "progress": bool(self.verbose),
        }  # fmt: skip
        gamma = None if self._is_linear() else self._gamma_of(X, None if sample_weight is None else rows)
        with warnings.catch_warnings():
            if self._is_auto():
                warnings.simplefilter("ignore", ConvergenceWarning)
            if self._is_linear():
                fit = fit_topk_svm(with_ones(X, self.fit_intercept), labels, **options)
            else:
                fit = fit_topk_svm_kernel(self._gram(X, gamma), labels, **options)
        if self._is_auto():
            contract.warn_unless_converged(fit.gap, USUAL, fit.epochs)
        self._remember(X, fit, now, gamma)
        return self

    def _remember(self, X, fit, solved, gamma):
        self.classes_, self._gamma = solved.classes, gamma
        vars(self).pop("coef_", None)  # of a fit with another kernel
        if self._is_linear():
            self.coef_, self.intercept_ = without_ones(fit.weights.T, self.fit_intercept)
        else:
            self.intercept_ = fit.duals.sum(axis=0) * self.fit_intercept
        self.dual_coef_, self.support_ = fit.duals, np.flatnonzero(fit.duals.any(axis=1))
        self.duality_gap_, self.n_iter_, self.history_ = fit.gap, fit.epochs, fit.history
        self._solved = solved
        keep_rows = not self._is_linear() and not self._is_precomputed()
        self._support_vectors = X[self.support_] if keep_rows else None

    def _scores(self, X):
        check_is_fitted(self)
        sparse_formats = False if self._is_precomputed() else "csr"
        X = validate_data(self, X, accept_sparse=sparse_formats, dtype=[np.float64, np.float32], reset=False)
        if self._is_linear():
            return safe_sparse_dot(X, self.coef_.T, dense_output=True) + self.intercept_
        if self._is_precomputed():
            K = X[:, self.support_]
        else:
            K = self._inner_products(X, self._support_vectors, self._gamma)
        return K @ self.dual_coef_[self.support_] + self.intercept_

    # --- options -------------------------------------------------------------------------------------------------

    def _check_options(self):
        contract.positive(self.C, "C")
        contract.count(self.max_iter, "max_iter")
        contract.flag(self.fit_intercept, "fit_intercept")
        contract.flag(self.warm_start, "warm_start")
        if not callable(self.kernel) and self.kernel not in KERNELS:
            raise ValueError(
                f"kernel must be one of {', '.join(map(repr, KERNELS))}, or a function, got {self.kernel!r}"
            )
        if not (isinstance(self.gamma, str) and self.gamma in ("scale", "auto")):
            contract.positive(self.gamma, "gamma")

    def _is_auto(self):
        return isinstance(self.tol, str) and self.tol == "auto"

    def _tolerance(self, X, classes):
        if not self._is_auto():
            return self.tol
        return EXACT if X.shape[0] <= FEW and X.shape[0] * X.shape[1] * len(classes) <= LITTLE else USUAL

    def _is_linear(self):
        return isinstance(self.kernel, str) and self.kernel == "linear"

    def _is_precomputed(self):
        return isinstance(self.kernel, str) and self.kernel == "precomputed"

    # --- kernels -------------------------------------------------------------------------------------------------

    def _gram(self, X, gamma):
        """The inner products (n, n) of the examples, plus 1 for the intercept."""
        K = X if self._is_precomputed() else self._inner_products(X, X, gamma)
        if K.shape[0] != K.shape[1]:
            raise ValueError(f"X must be square with kernel='precomputed', got shape {K.shape}")
        return K + K.dtype.type(1) if self.fit_intercept else K

    def _inner_products(self, X, others, gamma):
        if not callable(self.kernel):
            return rbf_kernel(X, others, gamma=gamma)
        K = np.asarray(self.kernel(X, others))
        if K.shape != (X.shape[0], others.shape[0]) or K.dtype.kind not in "biuf" or not np.isfinite(K).all():
            expected = f"finite numbers of shape {(X.shape[0], others.shape[0])}"
            raise ValueError(f"kernel must return {expected}, got {K.dtype} of shape {K.shape}")
        return K.astype(X.dtype, copy=False)

    def _gamma_of(self, X, rows):
        """What gamma comes to, for the kernel that has one."""
        if callable(self.kernel) or self.kernel != "rbf":
            return None
        d = X.shape[1]
        if self.gamma == "auto":
            return 1 / d
        if self.gamma != "scale":
            return float(self.gamma)
        mean = _mean_entry(X, rows)
        # Squares of a dense X are taken around the mean: far from 0, their difference would cancel.
        variance = (
            _mean_entry(X.multiply(X), rows) - mean**2 if sparse.issparse(X) else _mean_entry((X - mean) ** 2, rows)
        )
        return 1 / (d * variance) if variance > 0 else 1.0


def _mean_entry(X, rows):
    """The mean of all entries, rows weighted."""
    sums = np.asarray(X.sum(axis=1, dtype=np.float64)).ravel()
    return float(np.average(sums, weights=rows)) / X.shape[1]
