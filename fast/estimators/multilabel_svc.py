"""The multilabel SVM and the multilabel softmax regression as a scikit-learn classifier."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin

from reference.problems import checks
from reference.problems.checks.types import Array, Floats, History, Matrix

from ..multilabel import fit_multilabel
from ._features import linear_scorer, training_examples, with_ones, without_ones
from ._indicators import MultilabelTopKMixin, dense_indicator, is_indicator, labels_or_indicator
from ._labels import check_two_classes, check_weighted_classes, classes_and_labels, sample_weights
from ._options import RandomSource, draw_seeds, regularization_of, threads_of, tolerance_of
from ._svc.solving import solve
from ._svc.thresholds import fit_threshold

LOSSES = ("hinge", "entropy")


class MultilabelSVC(MultilabelTopKMixin, BaseEstimator):
    r"""The linear multilabel SVM, trained to a certified duality gap.

    .. math::

        \arg\min_W \; \tfrac12 \|W\|^2 + C \sum_{i=1}^n s_i \, \text{loss}(W^\top x_i, Y_i)

    Here :math:`s_i` is the weight of example i, and :math:`Y_i` are its labels. The loss orders the labels: those of an
    example should have higher scores than its other classes. A threshold for the scores, which is fitted afterwards,
    says how many labels are predicted. In terms of `fit_multilabel`, :math:`\lambda` is :math:`1 / (C n)`, where n is
    the number of rows of X.

    Parameters
    ----------
    loss : {"hinge", "entropy"}
        `multilabel_hinge` or `multilabel_entropy`.
    smoothing : float, >= 0
        :math:`\gamma` of the hinge. It has no meaning with the entropy. With 0 the hinge is not smooth, and depends on
        one label and one other class of each example. On noisy labels, W = 0 may then be close to the optimum.
    C : float, > 0
        The cost of a loss.
    fit_intercept : bool
        Append a feature that is always 1. Its weight is the intercept. It is penalised like the other weights.
    tol : float, >= 0, or "auto"
        The relative duality gap at which to stop. "auto" is 1e-3, or 1e-12 for a small problem, with at most 100
        examples and n d m <= 10 000. A small problem that does not reach 1e-12 in 100 epochs is solved to 1e-3, and
        gives a warning only above that. With a smooth loss, it is solved to 1e-3, and up to 90 epochs more take it
        to the gap 0 as computed.
    max_iter : int, >= 1
        The largest number of epochs.
    random_state : int, RandomState, Generator or None
        Determines the visiting order. The optimum does not depend on it.
    verbose : int
        Show a progress bar if it is not 0.
    n_jobs : int, optional
        Number of threads of a fit or a prediction, or -1 for one per processor. The default is one. The result does not
        depend on it.

    Attributes
    ----------
    classes_ : array, shape (m,)
        0..m-1 if y is an indicator.
    coef_ : array, shape (m, d)
        W transposed, less `threshold_coef_` in each row.
    intercept_ : array, shape (m,)
        The intercepts, less `threshold_intercept_`.
    threshold_coef_ : array, shape (d,)
        v of the threshold :math:`\langle v, x \rangle + t` of example x. It is 0 if y is not an indicator.
    threshold_intercept_ : float
        t of the threshold.
    dual_coef_ : array, shape (n, m)
        A, whose rows sum to 0. :math:`W = X^\top A`.
    duality_gap_ : float
        (primal - dual) / primal of the duals as returned: an upper bound on the relative distance from the optimum.
    n_iter_ : int
        The number of epochs.
    history_ : recarray
        One record (primal, dual, gap, seconds) an epoch. Its primal and dual are those of the problem above, divided
        by C n.
    multilabel_ : bool
        Whether y was an indicator.
    n_features_in_ : int
    feature_names_in_ : array of str
        Present if X has feature names.

    Notes
    -----
    y is an indicator (n, m) of 0 and 1, dense or sparse. `predict` returns one, too: of the labels whose
    `decision_function` is above 0. It may have no label in a row, or all. An example without a label, or with all of
    them, has the loss 0, and takes part in the fit of the threshold only. y may also hold labels (n,) of any type. Then
    each example has one label, and `predict` returns the class with the highest score.

    The losses do not change if the same number is added to all scores of an example. So there is a threshold to choose
    for each example, and it changes no order. The best one for an example of the training set makes the fewest errors.
    It is in the middle between the scores below and above it, or above or below all. v and t are fitted to these
    numbers :math:`t_i` by regularised least squares, as for the ranking SVM of Elisseeff and Weston:

    .. math::

        \arg\min_{v, t} \; \tfrac12 \|v\|^2 + \tfrac{C}{2} \sum_{i=1}^n s_i (\langle v, x_i \rangle + t - t_i)^2

    With fit_intercept=False, t is 0. If the number of labels is known, take `predict_topk`, which uses no threshold.

    `score` is the share of the examples whose labels are all right, as for other classifiers of scikit-learn.
    ``sklearn.metrics`` has measures of the order, such as ``label_ranking_average_precision_score``, for
    `decision_function`. There is no ``predict_proba``. The softmax of the scores, to which the entropy fits the labels,
    divides 1 among them, and is not the probability of each label.

    X keeps the dtype float32. CSR is not converted to a dense array; other sparse formats are converted to CSR. y and
    the duals are dense in the fit. A ``ConvergenceWarning`` is given if the gap is still above `tol` after `max_iter`
    epochs.

    References
    ----------
    * Paper (Lapin, Hein, Schiele: Analysis and Optimization of Loss Functions, 2018).
    * Paper (Elisseeff, Weston: A Kernel Method for Multi-Labelled Classification, 2001), for the threshold.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [-1.0, -1.0]])
    >>> Y = np.array([[1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1]])
    >>> svc = MultilabelSVC(C=10.0).fit(X, Y)
    >>> svc.predict([[0.9, 0.8], [-2.0, -1.0]])
    array([[1, 1, 0],
           [0, 0, 1]])
    >>> svc.predict_topk([[0.9, 0.1]], k=2)
    array([[0, 1]])
    """

    coef_: Floats
    intercept_: Floats
    threshold_coef_: Floats
    threshold_intercept_: float
    dual_coef_: Floats
    duality_gap_: float
    n_iter_: int
    history_: History

    _on_dask = "compute a sample of it that fits in memory"

    def __init__(
        self, loss: str = "hinge", smoothing: float = 1.0, C: float = 1.0, fit_intercept: bool = True,
        tol: float | str = "auto", max_iter: int = 1000, random_state: RandomSource = None, verbose: int = 0,
        n_jobs: int | None = None,
    ) -> None:  # fmt: skip
        self.loss = loss
        self.smoothing = smoothing
        self.C = C
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.verbose = verbose
        self.n_jobs = n_jobs

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = tags.classifier_tags.multi_label = True
        return tags

    def fit(self, X: Matrix, y: Matrix, sample_weight: Array | None = None) -> Self:
        """Maximise the dual until the relative duality gap is at most `tol`, and fit the threshold.

        Parameters
        ----------
        X : array or scipy sparse matrix, shape (n, d)
        y : indicator, array or scipy sparse matrix, shape (n, m), or array, shape (n,)
        sample_weight : array, shape (n,), >= 0, optional
            :math:`s_i`. The default is 1.

        Returns
        -------
        self : MultilabelSVC
        """
        self._check_options()
        X, y = training_examples(self, X, y, multi_output=True)
        y = labels_or_indicator(y)
        weights = sample_weights(sample_weight, X)
        classes, Y = _classes_and_indicator(y, weights)
        options = {
            "loss": self.loss, "smoothing": self.smoothing if self.loss == "hinge" else 0.0,
            "regularization": regularization_of(self.C, len(Y)),
            "tol": tolerance_of(self.tol, *X.shape, len(classes)), "max_epochs": self.max_iter,
            "seed": int(draw_seeds(self.random_state)), "sample_weight": weights,
            "n_jobs": threads_of(self.n_jobs), "progress": bool(self.verbose),
        }  # fmt: skip
        is_smooth = self.loss == "entropy" or self.smoothing > 0
        fit = solve(fit_multilabel, with_ones(X, self.fit_intercept), Y, options, self.tol, is_smooth)
        self.classes_, self.multilabel_, self._label_dtype = classes, is_indicator(y), y.dtype
        self._gives_sparse = sparse.issparse(y)
        self.dual_coef_, self.duality_gap_, self.n_iter_, self.history_ = fit.duals, fit.gap, fit.epochs, fit.history
        coef, intercept = without_ones(fit.weights.T, self.fit_intercept)
        self._remember(X, Y, coef, intercept, weights)
        return self

    def predict(self, X: Matrix) -> Any:
        """Predict the labels whose `decision_function` is above 0.

        Parameters
        ----------
        X : array or scipy sparse matrix, shape (n, d)

        Returns
        -------
        labels : array, shape (n, m), of the dtype of y; or a CSR array, if y was sparse
            If y was not an indicator, the class (n,) with the highest score; of tied classes, the first in `classes_`.
        """
        if not self._is_fitted_to_indicator():
            return super().predict(X)
        convert = sparse.csr_array if self._gives_sparse else np.asarray
        blocks = self._by_blocks(self._checked(X), lambda scores: convert((scores > 0).astype(self._label_dtype)))
        return sparse.vstack(blocks, format="csr") if self._gives_sparse else np.concatenate(blocks)

    def score(self, X: Matrix, y: Matrix, sample_weight: Array | None = None) -> float:
        """Compute the share of the examples whose labels are all predicted, and no others.

        Parameters
        ----------
        X : array or scipy sparse matrix, shape (n, d)
        y : indicator, array or scipy sparse matrix, shape (n, m), or array, shape (n,), as in `fit`
        sample_weight : array, shape (n,), optional

        Returns
        -------
        score : float
        """
        return ClassifierMixin.score(self, X, y, sample_weight)

    def _remember(self, X, Y, coef, intercept, weights):
        """Subtract the threshold from the weights and intercepts of the fit."""
        self.threshold_coef_, self.threshold_intercept_ = np.zeros(X.shape[1], coef.dtype), coef.dtype.type(0)
        if self.multilabel_:
            scores = linear_scorer(X, coef, intercept)(0, len(Y))
            self.threshold_coef_, self.threshold_intercept_ = fit_threshold(
                X, scores, Y, self.C, weights, self.fit_intercept
            )
        self.coef_, self.intercept_ = coef - self.threshold_coef_, intercept - self.threshold_intercept_

    def _is_fitted_to_indicator(self):
        return getattr(self, "multilabel_", False)  # before a fit, `_checked` says that there was none

    def _scorer(self, X):
        return linear_scorer(X, self.coef_, self.intercept_)

    def _check_options(self):
        checks.positive(self.C, "C")
        checks.choice(self.loss, "loss", LOSSES)
        checks.loss_smoothing(self.smoothing)
        checks.count(self.max_iter, "max_iter")
        checks.flag(self.fit_intercept, "fit_intercept")


def _classes_and_indicator(y, weights):
    """Returns the classes (m,) and a boolean indicator (n, m). Some weighted example has a label and lacks another."""
    if not is_indicator(y):
        classes, labels = classes_and_labels(y)
        check_weighted_classes(classes, labels, weights, "sample_weight")
        return classes, labels[:, None] == np.arange(len(classes))
    classes = np.arange(y.shape[1])
    check_two_classes(classes)
    values = np.unique(y.data if sparse.issparse(y) else y)
    if not np.isin(values, (0, 1)).all():
        raise ValueError(f"y must be an indicator of 0 and 1, got {values.tolist()}: pass y > 0 for labels above 0")
    Y = dense_indicator(y, len(classes))
    if not checks.proper_rows(Y[weights > 0]).any():
        raise ValueError(
            f"y must hold an example, with a weight above zero, that has a label and lacks another, got {len(Y)} with "
            f"none, all, or no weight"
        )
    return classes, Y
