"""Passive-aggressive updates for the top-k hinge, example by example, as a scikit-learn classifier."""

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.multiclass import _check_partial_fit_first_call
from sklearn.utils.validation import check_is_fitted, validate_data

from reference import contract

from ._sklearn_tools import check_classes, classes_and_labels, draw_seeds, numbers_of_known, with_ones, without_ones
from ._topk_mixin import TopKMixin
from .passive_aggressive import fit_passive_aggressive


class PassiveAggressiveTopKClassifier(TopKMixin, BaseEstimator):
    """A <- argmin_B 1/2 |B - A|^2 + penalty(loss of B on the example), for one example after the other.

    The loss is the top-k hinge max(0, mean of the k largest h_j) of h_j = margin + (B x)_j - (B x)_y over the rivals
    j != y. Each update is solved exactly: it may move several classes at once.

    Parameters
    ----------
    k : int in 1..m-1
        How many rivals the loss averages over.
    C : float, > 0
        How much a loss costs; "pa" makes no use of it.
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
    There are no weights of examples: a step is what one example asks for. Weights are kept in the dtype of X between
    calls.
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
        warm_start=False, random_state=None, verbose=0,
    ):  # fmt: skip
        self.k = k
        self.C = C
        self.variant = variant
        self.margin = margin
        self.average = average
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.shuffle = shuffle
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
        order = None if self.shuffle else np.arange(len(y))
        X = with_ones(X, self.fit_intercept)
        self._go_on(X, labels, classes, not self._can_go_on(X, classes), epochs=epochs, order=order)
        return self

    def partial_fit(self, X, y, classes=None):
        """Make one pass over a batch, in the given order, from where the last call ended.

        Parameters
        ----------
        X : array or scipy sparse matrix, shape (n, d)
        y : array, shape (n,)
        classes : array, shape (m,)
            All classes that will ever come; the first call needs them.

        Returns
        -------
        self : PassiveAggressiveTopKClassifier
        """
        self._check_options()
        first = not hasattr(self, "classes_")
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=[np.float64, np.float32], reset=first)
        if _check_partial_fit_first_call(self, classes):
            check_classes(self.classes_)
        labels = numbers_of_known(y, self.classes_)
        X = with_ones(X, self.fit_intercept)
        self._go_on(X, labels, self.classes_, not hasattr(self, "_weights"), epochs=1, order=np.arange(len(y)))
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

    def _go_on(self, X, labels, classes, anew, epochs, order):
        """Some passes from the weights of the last call, or from 0."""
        contract.count(self.k, "k", len(classes) - 1)
        fit = fit_passive_aggressive(
            X, labels, n_classes=len(classes), epochs=epochs, averaged=self.average, order=order,
            seed=int(draw_seeds(self.random_state)), margin=self.margin, variant=self.variant, aggressiveness=self.C,
            k=self.k, weights=None if anew else self._weights, progress=bool(self.verbose),
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
