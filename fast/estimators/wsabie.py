"""Wsabie and its relatives as a scikit-learn classifier, of one label an example or of several."""

from functools import partial

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.multiclass import _check_partial_fit_first_call
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d, validate_data

from reference import contract

from ..wsabie import concatenate_fits, fit_wsabie, prototype_scores
from ._base import TopKMixin
from ._indicators import dense_indicator, indicator_errors, is_indicator, is_label, labels_or_indicator
from ._labels import all_or_nothing, check_classes, classes_and_labels, draw_seeds, numbers_of, numbers_of_known

PRESETS = {name: getattr(contract, name) for name in ("AUC", "WARP", "WSABIE", "WSABIE_PP")}
OPTIONS = tuple(contract.WSABIE)  # what a preset holds: all that says what is drawn and how a step is made


class WsabieClassifier(TopKMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Descend on  mean over examples, labels and violators of  w [margin - f_positive + f_violator]_+,  pair by pair.

    f_g(x) is <b_g, W x> or -|b_g - W x|^2. Not convex in prototypes b and embedding W together: the fit is a walk, not
    an optimum. For the settings of the papers see `from_preset`.

    Parameters
    ----------
    embedding_dim : int, >= 1, optional
        e, the number of rows of W; no embedding if not given, and then e = d.
    discriminant : {"linear", "euclidean"}
        The score of class g: <b_g, W x>, or -|b_g - W x|^2.
    sampling : {"auc", "warp"}
        How many classes may be drawn until one violates the margin: 1, or m.
    weighting : {"harmonic", "uniform"}
        The weight w of a step: by the rank that the draws suggest, or 1.
    step : {"constant", "adagrad"}
        Whether steps shrink with the gradients so far.
    last_violators : int, >= 0
        How many links of the chain "last violator of the last violator of ..." are looked at. An example is skipped if
        one of them violates the margin. That may freeze classes from the start (see `fit_wsabie`); 0 skips nothing.
    margin : float, >= 0
        By how much the positive class should score more.
    step_size : float, > 0
    max_norm : float, > 0, optional
        Prototypes and rows of W longer than that are cut to it.
    n_updates : int, >= 1, optional
        How many examples `fit` draws; `epochs` times n if not given.
    epochs : int, >= 1
        Only if `n_updates` is not given.
    patience : int, >= 1, optional
        Stop after so many looks without a better score on examples that are held out, and keep the best fit. A look is
        taken after each twentieth of the updates. No examples are held out if not given.
    validation_fraction : float in (0, 1)
        The share that is held out, if `patience` is given.
    n_ensemble : int, >= 1
        How many fits with seeds of their own have their scores summed; more than one needs an embedding.
    warm_start : bool
        `fit` goes on from where the last call ended, as if there had been no break, if classes and shapes are the same.
    random_state : int, RandomState or None
        Of all that is drawn.
    verbose : int
        Show a progress bar, if not 0.

    Attributes
    ----------
    classes_ : array, shape (m,)
        0..m-1 if y is an indicator.
    prototypes_ : array, shape (m, n_ensemble e)
    embedding_ : array, shape (n_ensemble e, d), or None
    multilabel_ : bool
        Whether y was an indicator.
    steps_, updates_ : int
        How many examples each fit has drawn, and how many steps of all fits moved anything; earlier calls included.
    history_ : list of recarray
        The looks that the last call took, one array a member of the ensemble.
    n_features_in_ : int
    feature_names_in_ : array of str
        If X has them.

    Notes
    -----
    y is (n,), labels of any type, or an indicator (n, m) of 0 and 1, dense or sparse, of several labels an example.
    `predict` gives an indicator too, then, with the best class of each row set and nothing else: how many labels an
    example has is not learned. `predict_topk` gives the k best.
    A `ConvergenceWarning` names frozen classes, whose examples are all skipped, by their places in `classes_`.
    Source: 003, Table 3, section 8.3 for ensembles; Weston et al. 2011; Grangier and Bengio 2008.

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]]), ["ant", "bee", "cow"]
    >>> wsabie = WsabieClassifier(margin=0.1, epochs=100, random_state=0).fit(X, y)
    >>> wsabie.predict(X)
    array(['ant', 'bee', 'cow'], dtype='<U3')
    >>> WsabieClassifier.from_preset("WSABIE", embedding_dim=8).sampling
    'warp'
    """

    def __init__(
        self, embedding_dim=None, discriminant="euclidean", sampling="warp", weighting="uniform", step="adagrad",
        last_violators=0, margin=1.0, step_size=0.1, max_norm=None, n_updates=None, epochs=10, patience=None,
        validation_fraction=0.1, n_ensemble=1, warm_start=False, random_state=None, verbose=0,
    ):  # fmt: skip
        self.embedding_dim = embedding_dim
        self.discriminant = discriminant
        self.sampling = sampling
        self.weighting = weighting
        self.step = step
        self.last_violators = last_violators
        self.margin = margin
        self.step_size = step_size
        self.max_norm = max_norm
        self.n_updates = n_updates
        self.epochs = epochs
        self.patience = patience
        self.validation_fraction = validation_fraction
        self.n_ensemble = n_ensemble
        self.warm_start = warm_start
        self.random_state = random_state
        self.verbose = verbose

    @classmethod
    def from_preset(cls, name, **options):
        """The classifier with the settings of a paper, save for the options that are given.

        Parameters
        ----------
        name : {"AUC", "WARP", "WSABIE", "WSABIE_PP"}
        **options
            Parameters of the classifier. Margin and step size of a preset are in the units of the paper's data.

        Returns
        -------
        classifier : WsabieClassifier
        """
        return cls(**{**PRESETS[contract.choice(name, "name", PRESETS)], **options})

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = tags.classifier_tags.multi_label = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def fit(self, X, y):
        """Draw `n_updates` examples, or `epochs` times their number, and make a step for each.

        Parameters
        ----------
        X : array or scipy sparse matrix, shape (n, d)
        y : array, shape (n,), or indicator, array or scipy sparse matrix, shape (n, m)

        Returns
        -------
        self : WsabieClassifier
        """
        X, y = self._validated(X, y, reset=True)
        if is_indicator(y):
            classes, Y = np.arange(y.shape[1]), y
            check_classes(classes)
        else:
            classes, Y = classes_and_labels(y)
        size = self.n_updates if self.n_updates is not None else contract.count(self.epochs, "epochs") * X.shape[0]
        self._walk(X, y, Y, classes, not self._can_go_on(X, y, classes), size, self.patience)
        return self

    @all_or_nothing
    def partial_fit(self, X, y, classes=None):
        """Draw as many examples of a batch as it has, and make a step for each, from where the last call ended.

        Parameters
        ----------
        X : array or scipy sparse matrix, shape (n, d)
        y : array, shape (n,), or indicator, array or scipy sparse matrix, shape (n, m)
        classes : array, shape (m,)
            All classes that will ever come; the first call needs them, unless y is an indicator.

        Returns
        -------
        self : WsabieClassifier
        """
        first = not hasattr(self, "classes_")
        X, y = self._validated(X, y, reset=first)
        indicator = is_indicator(y)
        if not first and indicator != self.multilabel_:
            raise ValueError(f"y must {'' if self.multilabel_ else 'not '}be an indicator, as it was at first")
        if _check_partial_fit_first_call(self, np.arange(y.shape[1]) if indicator else classes):
            check_classes(self.classes_)
        Y = y if indicator else numbers_of_known(y, self.classes_)
        self._walk(X, y, Y, self.classes_, not hasattr(self, "_fits"), X.shape[0], None)
        return self

    def transform(self, X):
        """W x for each example: where it lies among the prototypes; X itself without an embedding.

        Parameters
        ----------
        X : array or scipy sparse matrix, shape (n, d)

        Returns
        -------
        Z : array, shape (n, n_ensemble e)
        """
        X = self._validated_again(X)
        return X if self.embedding_ is None else safe_sparse_dot(X, self.embedding_.T, dense_output=True)

    def predict(self, X):
        """The class of the largest score; of equals, the first. An indicator of it, if y was one.

        Parameters
        ----------
        X : array or scipy sparse matrix, shape (n, d)

        Returns
        -------
        labels : array, shape (n,) or (n, m)
        """
        best = self._scores(X).argmax(axis=1)
        if not self.multilabel_:
            return self.classes_[best]
        return (best[:, None] == np.arange(len(self.classes_))).astype(self._label_dtype)

    def score(self, X, y, sample_weight=None):
        """How often the best class is the label, or one of the labels.

        Parameters
        ----------
        X : array or scipy sparse matrix, shape (n, d)
        y : array, shape (n,), or indicator, array or scipy sparse matrix, shape (n, m)
            An example without labels counts as an error.
        sample_weight : array, shape (n,), optional

        Returns
        -------
        score : float
        """
        best = self._scores(X).argmax(axis=1)
        check_consistent_length(X, y, sample_weight)
        if self.multilabel_:
            right = is_label(dense_indicator(y, len(self.classes_)), best)
        else:
            right = numbers_of(column_or_1d(y), self.classes_) == best
        return float(np.average(right, weights=sample_weight))

    # --- a walk --------------------------------------------------------------------------------------------------

    def _walk(self, X, y, Y, classes, anew, size, patience):
        """So many steps of each member of the ensemble."""
        contract.flag(self.warm_start, "warm_start")
        members = contract.count(self.n_ensemble, "n_ensemble")
        if members > 1 and self.embedding_dim is None:
            raise ValueError(f"n_ensemble must be 1 without an embedding_dim, got {members}")
        if anew:
            generators = [np.random.default_rng(int(seed)) for seed in draw_seeds(self.random_state, members)]
            starts = [None] * members
        else:
            generators, starts = self._generators, self._fits
        options = {name: getattr(self, name) for name in OPTIONS}
        options |= {"n_classes": len(classes), "n_updates": size, "progress": bool(self.verbose)}
        fits = []
        for generator, start in zip(generators, starts, strict=True):
            examples, watch = ((X, Y), {}) if patience is None else self._hold_out(X, Y, generator)
            fits.append(fit_wsabie(*examples, seed=generator, start=start, **watch, **options))
        self._remember(fits, generators, y, classes)

    def _hold_out(self, X, Y, generator):
        """The examples to learn from, and how the fit is watched on the others."""
        share, n = contract.finite_number(self.validation_fraction, "validation_fraction"), X.shape[0]
        if not 0 < share < 1 or n < 2:
            raise ValueError(f"validation_fraction must be in (0, 1), of two examples at least, got {share} of {n}")
        order, held = generator.permutation(n), min(max(1, round(share * n)), n - 1)
        rows, others = np.sort(order[held:]), np.sort(order[:held])
        return (X[rows], Y[rows]), {"callback": partial(_accuracy, X[others], Y[others]), "patience": self.patience}

    def _remember(self, fits, generators, y, classes):
        self._fits, self._generators = fits, generators
        self._fit = concatenate_fits(fits) if len(fits) > 1 else fits[0]
        self.classes_, self.multilabel_, self._label_dtype = classes, is_indicator(y), y.dtype
        self.prototypes_, self.embedding_ = self._fit.prototypes, self._fit.embedding
        self._n_features_out = self.prototypes_.shape[1]
        self.steps_, self.updates_ = fits[0].steps, sum(fit.updates for fit in fits)
        self.history_ = [fit.history for fit in fits]

    def _can_go_on(self, X, y, classes):
        if not (self.warm_start and hasattr(self, "_fits")) or len(self._fits) != self.n_ensemble:
            return False
        fit, e = self._fits[0], self.embedding_dim
        same = fit.discriminant == self.discriminant and e == (None if fit.embedding is None else len(fit.embedding))
        width = (fit.prototypes if e is None else fit.embedding).shape[1] if same else None
        return self.multilabel_ == is_indicator(y) and np.array_equal(self.classes_, classes) and width == X.shape[1]

    # --- what is given -------------------------------------------------------------------------------------------

    def _validated(self, X, y, reset):
        X, y = validate_data(
            self, X, y, accept_sparse="csr", dtype=[np.float64, np.float32], multi_output=True, reset=reset
        )
        return X, labels_or_indicator(y)

    def _validated_again(self, X):
        check_is_fitted(self)
        return validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=False)

    def _scores(self, X):
        return prototype_scores(self._validated_again(X), self._fit)

    def _topk_errors(self, scores, y, k):
        if not self.multilabel_:
            return super()._topk_errors(scores, y, k)
        return indicator_errors(scores, dense_indicator(y, len(self.classes_)), k)

    def _is_binary(self):
        return len(self.classes_) == 2 and not self.multilabel_


def _accuracy(X, Y, fit):
    """The share of the examples whose best class is one of their labels."""
    best = prototype_scores(X, fit).argmax(axis=1)
    return float(np.mean(Y == best if Y.ndim == 1 else is_label(Y, best)))
