"""Exact passive-aggressive updates for the top-k hinge, one example after the other, as a scikit-learn classifier."""

from __future__ import annotations

from typing import Never, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.multiclass import _check_partial_fit_first_call

from reference.problems import checks
from reference.problems.checks.types import Array, Floats, Matrix

from .._passive_aggressive.updates import Model, update_in_place
from ..passive_aggressive import fit_passive_aggressive
from ._base import TopKMixin, all_or_nothing, refuse_others
from ._features import linear_scorer, training_examples, with_ones, without_ones
from ._labels import (
    check_label_types,
    check_two_classes,
    check_weighted_classes,
    classes_and_labels,
    numbers_of_known,
    sample_weights,
    weighted_by_class,
    weighted_in_batch,
)
from ._options import ClassWeight, RandomSource, draw_seeds, threads_of

NO_SAMPLE_WEIGHT = (
    "a weight of 2 would have to be the same as the example given twice, as in scikit-learn, and here the second copy "
    "meets other weights than the first. sample_weight of partial_fit multiplies the cost C of an example's loss"
)


class PassiveAggressiveTopKClassifier(TopKMixin, BaseEstimator):
    r"""Exact passive-aggressive updates for the top-k hinge, one example after the other.

    .. math::

        A & \leftarrow \arg\min_B \; \tfrac12 \|B - A\|^2 + s_i \, \text{penalty}(L_i(B)) \\
        L_i(B) & = \max \left( 0, \; \tfrac1k \sum_{j=1}^k h_{[j]} \right)

    Here :math:`s_i` is the weight of example i. Its loss :math:`L_i` is the top-k hinge of
    :math:`h_j = \text{margin} + (B x_i)_j - (B x_i)_y` over the rivals j of its class y, where :math:`h_{[j]}` is the
    j-th largest. Each update is the exact minimiser, which may change the weights of several classes at once.

    Parameters
    ----------
    k : int in 1..m-1
        The number of rivals in the mean.
    C : float, > 0
        The cost of a loss, multiplied by :math:`s_i`. The variant "pa" does not use it.
    variant : {"pa", "pa1", "pa2"}
        The penalty: "pa" allows no loss, "pa1" costs ``C * loss``, "pa2" costs ``C * loss**2``.
    margin : float, >= 0
        The amount by which the score of the true class should exceed those of the rivals.
    average : bool
        Predict with the mean of the weights over all steps, which varies less than the last weights.
    fit_intercept : bool
        Append a feature that is always 1. Its weight is the intercept.
    max_iter : int, >= 1
        The number of passes that `fit` makes over the data.
    shuffle : bool
        Visit the examples in a new random order in each pass. If False, visit them in the given order.
    class_weight : dict, "balanced" or None
        Weights of the classes, which multiply those of the examples. "balanced" is n / (m count of a class);
        `partial_fit` cannot compute it.
    warm_start : bool
        Whether `fit` continues where the last call ended, if the classes and the number of features are the same.
    random_state : int, RandomState, Generator or None
        Determines the visiting order.
    verbose : int
        Show a progress bar if it is not 0.
    n_jobs : int, optional
        Number of threads of a prediction, or -1 for one per processor. The default is one. Predictions do not depend
        on it. The updates are made one after the other.

    Attributes
    ----------
    classes_ : array, shape (m,)
    coef_ : array, shape (m, d)
    intercept_ : array, shape (m,)
    mistakes_ : int array, one entry a step of the last call
        The number of mistakes up to and including that step, with those of earlier calls that were continued. A step
        is a mistake if, before the update, at least k rivals score as much as the true class, or more.
        ``mistakes_[-1] / t_`` is the progressive top-k error.
    updates_ : int
        The number of steps that changed the weights.
    t_ : int
        The number of steps.
    n_iter_ : int
        The number of passes of the last call.
    n_features_in_ : int
    feature_names_in_ : array of str
        Present if X has feature names.

    Notes
    -----
    The weight :math:`s_i` of an example is the weight of its class times its `sample_weight` in `partial_fit`. It
    multiplies the cost of the loss, and not the step as in ``SGDClassifier``. With "pa", all :math:`s_i > 0` give the
    same result. An example of weight 0 causes no update, in any variant, but it counts as a step: it may be a mistake,
    and the average includes it.

    `fit` accepts no sample_weight. scikit-learn demands that a weight of 2 be the same as the example given twice, and
    here it is not: the second copy meets other weights A than the first.

    `partial_fit` changes the model in place: a row takes O(m) for each of its entries that are not 0, and so do its
    scores, unless `average` is set. `coef_` and `intercept_` are copies, made when they are read for the first time
    after a call. Later calls do not change arrays that were read before, nor pickles and deep copies of the model. The
    copies have the dtype of X. The model itself is float64 from the second `partial_fit` on, so that small steps are
    not lost in the rounding of float32.

    References
    ----------
    * Paper 001 (Daumé: Column Squishing for Multiclass Updates, 2017).
    * Paper (Crammer et al.: Online Passive-Aggressive Algorithms, 2006).
    * Paper (Freund, Schapire: Large Margin Classification Using the Perceptron Algorithm, 1999), for averaging.

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]]), ["ant", "bee", "cow"]
    >>> online = PassiveAggressiveTopKClassifier(shuffle=False).fit(X, y)
    >>> online.predict(X)
    array(['ant', 'bee', 'cow'], dtype='<U3')
    """

    _on_dask = "call partial_fit with one block after another"

    def __init__(
        self, k: int = 1, C: float = 1.0, variant: str = "pa1", margin: float = 1.0, average: bool = False,
        fit_intercept: bool = True, max_iter: int = 5, shuffle: bool = True, class_weight: ClassWeight = None,
        warm_start: bool = False, random_state: RandomSource = None, verbose: int = 0, n_jobs: int | None = None,
    ) -> None:  # fmt: skip
        self.k = k
        self.C = C
        self.variant = variant
        self.margin = margin
        self.average = average
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.shuffle = shuffle
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.random_state = random_state
        self.verbose = verbose
        self.n_jobs = n_jobs

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def fit(self, X: Matrix, y: Array, **others: Never) -> Self:
        """Make `max_iter` passes over the data.

        Parameters
        ----------
        X : array or scipy sparse matrix, shape (n, d)
        y : array, shape (n,)
            Class labels of any type.
        **others
            Raise a TypeError. That of sample_weight says why there is none.

        Returns
        -------
        self : PassiveAggressiveTopKClassifier
        """
        refuse_others(self, others, NO_SAMPLE_WEIGHT)
        self._check_options()
        epochs = checks.count(self.max_iter, "max_iter")
        X, y = training_examples(self, X, y)
        classes, labels = classes_and_labels(y)
        weights = weighted_by_class(self.class_weight, classes, y, labels, np.ones(len(y)))
        check_weighted_classes(classes, labels, weights, "class_weight")
        order = None if self.shuffle else np.arange(len(y))
        X = with_ones(X, self.fit_intercept)
        self._go_on(X, labels, weights, classes, self._can_go_on(X, classes), epochs=epochs, order=order)
        return self

    @all_or_nothing
    def partial_fit(
        self, X: Matrix, y: Array, classes: Array | None = None, sample_weight: Array | None = None
    ) -> Self:
        """Make one pass over a batch in the given order, starting from the weights of the last call.

        Parameters
        ----------
        X : array or scipy sparse matrix, shape (n, d)
        y : array, shape (n,)
        classes : array, shape (m,)
            All classes of all batches. The first call needs them.
        sample_weight : array, shape (n,), >= 0, optional
            :math:`s_i`. The default is 1. At least one example of the batch must have a weight above 0.

        Returns
        -------
        self : PassiveAggressiveTopKClassifier
        """
        self._check_options()
        first = not hasattr(self, "classes_")
        check_label_types(classes, "classes")
        X, y = training_examples(self, X, y, reset=first)
        rows = sample_weights(sample_weight, X)
        if _check_partial_fit_first_call(self, classes):
            check_two_classes(self.classes_)
        labels = numbers_of_known(y, self.classes_)
        weights, order = weighted_in_batch(self.class_weight, self.classes_, y, labels, rows), np.arange(len(y))
        X, goes_on = with_ones(X, self.fit_intercept), hasattr(self, "_weights")
        if goes_on:
            self._update(X, labels, weights)
        else:
            self._go_on(X, labels, weights, self.classes_, goes_on=False, epochs=1, order=order)
        return self

    @property
    def coef_(self) -> Floats:
        """The weights (m, d), copied from the model when they are first read after a call."""
        return self._final()[0]

    @property
    def intercept_(self) -> Floats:
        """The intercepts (m,), copied from the model when they are first read after a call."""
        return self._final()[1]

    def _scorer(self, X):
        if self._averaged_steps > 0:
            return linear_scorer(X, self.coef_, self.intercept_)
        A, dtype = self._weights, np.result_type(X.dtype, self._dtype)
        coef, intercept = (A[:, :-1], A[:, -1]) if self.fit_intercept else (A, np.zeros(len(A), A.dtype))
        scorer = linear_scorer(X, coef, intercept)
        return lambda first, last: scorer(first, last).astype(dtype, copy=False)

    def _check_options(self):
        checks.positive(self.C, "C")
        threads_of(self.n_jobs)
        for name in ("average", "fit_intercept", "shuffle", "warm_start"):
            checks.flag(getattr(self, name), name)

    def _can_go_on(self, X, classes):
        if not (self.warm_start and hasattr(self, "_weights") and np.array_equal(self.classes_, classes)):
            return False
        return self._weights.shape[1] == X.shape[1]

    def _go_on(self, X, labels, weights, classes, goes_on, epochs, order):
        """Make `epochs` passes, starting from the weights of the last call or from 0."""
        checks.count(self.k, "k", len(classes) - 1)
        fit = fit_passive_aggressive(
            X, labels, n_classes=len(classes), epochs=epochs, averaged=self.average, order=order,
            seed=int(draw_seeds(self.random_state)), margin=self.margin, variant=self.variant, aggressiveness=self.C,
            k=self.k, sample_weight=weights, weights=self._weights if goes_on else None, progress=bool(self.verbose),
        )  # fmt: skip
        if goes_on:
            mistakes = self.mistakes_[-1]
        else:
            self.t_, self.updates_, self._averaged_steps, self._mean, mistakes = 0, 0, 0, None, 0
        self.classes_, self.n_iter_ = classes, epochs
        self.mistakes_, self.updates_ = mistakes + fit.mistakes, self.updates_ + fit.updates
        self.t_ += len(fit.mistakes)
        self._weights, self._changes, self._copies, self._dtype = fit.weights, None, {}, X.dtype
        self._take_mean(fit)

    def _take_mean(self, fit):
        """Store the mean of the weights over all steps since `average` was set."""
        if not self.average:
            self._averaged_steps, self._mean = 0, None
            return
        new, old, mean = len(fit.mistakes), self._averaged_steps, fit.averaged
        if old > 0:
            mean = ((old * self._means() + new * mean) / (old + new)).astype(mean.dtype)
        self._mean, self._averaged_steps = mean, old + new

    def _update(self, X, labels, weights):
        """Make one pass that changes the weights in place, and the sum from which their mean is computed."""
        checks.count(self.k, "k", len(self.classes_) - 1)
        A, changes = self._weights.astype(np.float64, copy=False), self._changes
        if not self.average:
            changes, self._averaged_steps, self._mean = None, 0, None
        elif changes is None:
            old = self._averaged_steps
            changes = old * (A - self._mean) if old > 0 else np.zeros(A.shape)
        model = Model(A, np.zeros((0, 0)) if changes is None else changes, changes is not None)
        mistakes, moved = update_in_place(
            model, self._averaged_steps, X, labels, margin=self.margin, variant=self.variant, aggressiveness=self.C,
            k=self.k, sample_weight=weights,
        )  # fmt: skip
        self._weights, self._dtype = A, X.dtype
        self._changes, self._mean, self._copies, self.n_iter_ = changes, None, {}, 1
        self._averaged_steps += len(mistakes) if self.average else 0
        self.mistakes_, self.updates_ = self.mistakes_[-1] + mistakes.cumsum(), self.updates_ + moved
        self.t_ += len(mistakes)

    def _means(self):
        """Returns the mean of the weights over the averaged steps."""
        return self._mean if self._changes is None else self._weights - self._changes / self._averaged_steps

    def _final(self):
        """Returns the weights and intercepts that predict, as arrays that later calls do not change."""
        if not hasattr(self, "_weights"):
            raise AttributeError(f"{type(self).__name__} has no coef_ and no intercept_ before it is fitted")
        if not self._copies:
            weights = self._means() if self._averaged_steps > 0 else self._weights
            coef, intercept = without_ones(weights, self.fit_intercept)
            coef = coef.copy() if coef is self._weights else coef
            self._copies["final"] = tuple(array.astype(self._dtype, copy=False) for array in (coef, intercept))
        return self._copies["final"]
