"""Passive-aggressive updates for the top-k hinge, example by example, as a scikit-learn classifier."""

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.multiclass import _check_partial_fit_first_call
from sklearn.utils.validation import check_is_fitted, validate_data

from reference import contract

from ..passive_aggressive import fit_passive_aggressive
from ._base import TopKMixin
from ._labels import (
    all_or_nothing,
    check_classes,
    check_weighted_classes,
    classes_and_labels,
    draw_seeds,
    numbers_of_known,
    sample_weights,
    weighted_by_class,
    with_ones,
    without_ones,
)


class PassiveAggressiveTopKClassifier(TopKMixin, BaseEstimator):
    """A <- argmin_B 1/2 |B - A|^2 + s_i penalty(loss of B on example i), for one example i after the other.

    The loss is the top-k hinge max(0, mean of the k largest h_j) of h_j = margin + (B x)_j - (B x)_y over the rivals
    j != y. Each update is solved exactly: it may move several classes at once.

    Parameters
    ----------
    k : int in 1..m-1
        How many rivals the loss averages over.
    C : float, > 0
        How much a loss costs, C s_i in all; "pa" makes no use of it.
    variant : {"pa", "pa1", "pa2"}
        The penalty: "pa" does not allow any loss, "pa1" charges C * loss, "pa2" C * loss^2.
    margin : float, >= 0
        By how much the true class should win.
    average : bool
        Predict with the mean of the weights after each step, which is steadier than the last ones.
    fit_intercept : bool
        Append a feature that is always 1, and take its weight for the intercept.
    max_iter : int, >= 1
        How many passes `fit` makes over the data.
    shuffle : bool
        Visit the examples in a new random order in each pass; in the given one if not.
    class_weight : dict, "balanced" or None
        Weights of the classes, by which those of the examples are multiplied; "balanced" is n / (m count of a class),
        which `partial_fit` cannot know.
    warm_start : bool
        `fit` goes on from where the last call ended, if the classes and the number of features are the same.
    random_state : int, RandomState or None
        Of the visiting order.
    verbose : int
        Show a progress bar, if not 0.

    Attributes
    ----------
    classes_ : array, shape (m,)
    coef_ : array, shape (m, d)
    intercept_ : array, shape (m,)
    mistakes_ : int array, one a step of the last call
        How many mistakes were made up to that step, earlier calls included: steps at which at least k rivals scored as
        much as the true class, or more, before the update. mistakes_[-1] / t_ is the progressive top-k error.
    updates_ : int
        How many steps changed the weights.
    t_ : int
        How many steps were made.
    n_iter_ : int
        How many passes the last call made.
    n_features_in_ : int
    feature_names_in_ : array of str
        If X has them.

    Notes
    -----
    s_i, the weight of an example, is that of its class times what `partial_fit` is given. It multiplies the price of
    the loss, and not the step as in `SGDClassifier`; "pa" is the same for all s_i > 0. One of weight 0 is passed over,
    whatever the variant, but is a step, which may be a mistake and is averaged over. A weight is no count: an example
    that comes again meets other weights of the model than at first. Since that is what scikit-learn wants `fit` to mean
    by sample_weight, `fit` takes none. What is learned is kept in the dtype of X between calls.
    Source: 001; Crammer et al. 2006; averaging after Freund and Schapire 1999.

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]]), ["ant", "bee", "cow"]
    >>> online = PassiveAggressiveTopKClassifier(shuffle=False).fit(X, y)
    >>> online.predict(X)
    array(['ant', 'bee', 'cow'], dtype='<U3')
    """

    def __init__(
        self, k=1, C=1.0, variant="pa1", margin=1.0, average=False, fit_intercept=True, max_iter=5, shuffle=True,
        class_weight=None, warm_start=False, random_state=None, verbose=0,
    ):  # fmt: skip
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

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def fit(self, X, y):
        """Make `max_iter` passes over the data.

        Parameters
        ----------
        X : array or scipy sparse matrix, shape (n, d)
        y : array, shape (n,)
            Class labels of any type.

        Returns
        -------
        self : PassiveAggressiveTopKClassifier
        """
        self._check_options()
        epochs = contract.count(self.max_iter, "max_iter")
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=[np.float64, np.float32])
        classes, labels = classes_and_labels(y)
        weights = weighted_by_class(self.class_weight, classes, y, labels, np.ones(len(y)))
        check_weighted_classes(classes, labels, weights, "class_weight")
        order = None if self.shuffle else np.arange(len(y))
        X = with_ones(X, self.fit_intercept)
        self._go_on(X, labels, weights, classes, not self._can_go_on(X, classes), epochs=epochs, order=order)
        return self

    @all_or_nothing
    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Make one pass over a batch, in the given order, from where the last call ended.

        Parameters
        ----------
        X : array or scipy sparse matrix, shape (n, d)
        y : array, shape (n,)
        classes : array, shape (m,)
            All classes that will ever come; the first call needs them.
        sample_weight : array, shape (n,), >= 0, optional
            s_i; 1 if not given. Some example of the batch must have a weight above 0.

        Returns
        -------
        self : PassiveAggressiveTopKClassifier
        """
        self._check_options()
        if isinstance(self.class_weight, str):
            raise ValueError(
                f"class_weight must be a dict or None for partial_fit, which cannot count the classes of batches to "
                f"come, got {self.class_weight!r}: compute the weights from all of the data, and pass a dict"
            )
        first = not hasattr(self, "classes_")
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=[np.float64, np.float32], reset=first)
        rows = sample_weights(sample_weight, X)
        if _check_partial_fit_first_call(self, classes):
            check_classes(self.classes_)
        labels = numbers_of_known(y, self.classes_)
        weights, order = weighted_by_class(self.class_weight, self.classes_, y, labels, rows), np.arange(len(y))
        if not weights.any():
            raise ValueError(
                "class_weight must leave some example of a batch a weight above zero: leave this batch out"
            )
        X = with_ones(X, self.fit_intercept)
        self._go_on(X, labels, weights, self.classes_, not hasattr(self, "_weights"), epochs=1, order=order)
        return self

    def _scores(self, X):
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=False)
        return safe_sparse_dot(X, self.coef_.T, dense_output=True) + self.intercept_

    def _check_options(self):
        contract.positive(self.C, "C")
        for name in ("average", "fit_intercept", "shuffle", "warm_start"):
            contract.flag(getattr(self, name), name)

    def _can_go_on(self, X, classes):
        if not (self.warm_start and hasattr(self, "_weights") and np.array_equal(self.classes_, classes)):
            return False
        return self._weights.shape[1] == X.shape[1]

    def _go_on(self, X, labels, weights, classes, anew, epochs, order):
        """Some passes from the weights of the last call, or from 0."""
        contract.count(self.k, "k", len(classes) - 1)
        fit = fit_passive_aggressive(
            X, labels, n_classes=len(classes), epochs=epochs, averaged=self.average, order=order,
            seed=int(draw_seeds(self.random_state)), margin=self.margin, variant=self.variant, aggressiveness=self.C,
            k=self.k, sample_weight=weights, weights=None if anew else self._weights, progress=bool(self.verbose),
        )  # fmt: skip
        if anew:
            self.t_, self.updates_, self._averaged_steps, self._mean, mistakes = 0, 0, 0, None, 0
        else:
            mistakes = self.mistakes_[-1]
        self.classes_, self.n_iter_ = classes, epochs
        self.mistakes_, self.updates_ = mistakes + fit.mistakes, self.updates_ + fit.updates
        self.t_ += len(fit.mistakes)
        self._weights = fit.weights
        self._take_mean(fit)
        final = self._mean if self.average else self._weights
        self.coef_, self.intercept_ = without_ones(final, self.fit_intercept)

    def _take_mean(self, fit):
        """The mean over all steps since `average` was set."""
        if not self.average:
            self._averaged_steps, self._mean = 0, None
            return
        new, old, mean = len(fit.mistakes), self._averaged_steps, fit.averaged
        if old > 0:
            mean = ((old * self._mean + new * mean) / (old + new)).astype(mean.dtype)
        self._mean, self._averaged_steps = mean, old + new
