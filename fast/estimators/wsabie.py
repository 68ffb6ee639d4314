"""Wsabie and its relatives as a scikit-learn classifier, for one label an example or several."""

from __future__ import annotations

from typing import Any, Never, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.multiclass import _check_partial_fit_first_call

from reference.problems import checks
from reference.problems.checks.types import Array, Floats, Matrix

from .._wsabie.distances import prototype_scorer
from .._wsabie.in_place import walk_in_place
from ..wsabie import concatenate_fits
from ._base import all_or_nothing, refuse_others
from ._ensemble import fit_members, fits_into, go_on_all, new_members
from ._features import new_examples, training_examples
from ._indicators import MultilabelTopKMixin, is_indicator, labels_or_indicator
from ._labels import check_label_types, check_two_classes, classes_and_labels, numbers_of_known
from ._options import RandomSource, threads_of

PRESETS = {name: getattr(checks, name) for name in ("AUC", "WARP", "WSABIE", "WSABIE_PP")}
WALK_OPTIONS = tuple(checks.WSABIE)  # the names that every preset has: what is drawn, and how a step is made
NO_SAMPLE_WEIGHT = (
    "a weight of 2 would have to be the same as the example given twice, as in scikit-learn, and here the steps are "
    "drawn at random: the two fits agree only on average. To weigh examples on average, give some of them several times"
)


class WsabieClassifier(MultilabelTopKMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    r"""Prototypes of classes, and an embedding, trained by stochastic gradient steps on sampled pairs of classes.

    .. math::

        \text{mean over examples, labels } p \text{ and violators } q \text{ of } \;
        w \, \max(0, \; \text{margin} - f_p + f_q)

    The score of class g is :math:`f_g(x) = \langle b_g, W x \rangle` or :math:`f_g(x) = -\|b_g - W x\|^2`, with a
    prototype :math:`b_g` for each class and an embedding W. A violator is a class q, not a label, for which the maximum
    is positive, and w is the weight of a step. The objective is not convex in the prototypes and W together, so the
    result is not certified to be an optimum. `from_preset` gives the settings of the papers.

    Parameters
    ----------
    embedding_dim : int, >= 1, optional
        e, the number of rows of W. If it is not given, there is no embedding: W x is x, and e = d.
    discriminant : {"linear", "euclidean"}
        The score of class g: :math:`\langle b_g, W x \rangle`, or :math:`-\|b_g - W x\|^2`.
    sampling : {"auc", "warp"}
        The number of classes that may be drawn until one violates the margin: 1, or m.
    weighting : {"harmonic", "uniform"}
        The weight w of a step: a function of the rank that the number of draws suggests, or 1.
    step : {"constant", "adagrad"}
        Whether the step size is constant or shrinks with the sum of the squared gradients so far.
    last_violators : int, >= 0
        The number of links that are tested in the chain "last violator of the last violator of ...". An example is
        skipped if one of them violates the margin. This may freeze classes from the start (see `fit_wsabie`). With 0,
        no example is skipped.
    margin : float, >= 0
        The amount by which the score of the positive class should exceed the others.
    step_size : float, > 0
    max_norm : float, > 0, optional
        Prototypes and rows of W with a larger norm are scaled down to it.
    n_updates : int, >= 1, optional
        The number of examples that `fit` draws. The default is `epochs` times n.
    epochs : int, >= 1
        Used only if `n_updates` is not given.
    patience : int, >= 1, optional
        Score the fit on held-out examples after each twentieth of the updates. Stop after this number of scores
        without a new best, and keep the best fit. If it is not given, no examples are held out.
    validation_fraction : float in (0, 1)
        The share of the examples that is held out if `patience` is given.
    n_ensemble : int, >= 1
        The number of fits, each with a seed of its own, whose scores are added. More than one needs an embedding.
    warm_start : bool
        Whether `fit` continues where the last call ended, if the classes and the shapes are the same.
    random_state : int, RandomState, Generator or None
        Determines all random draws.
    verbose : int
        Show a progress bar if it is not 0.
    n_jobs : int, optional
        Number of threads, or -1 for one per processor. The default is one. The result does not depend on
        it. A fit uses one for each member of the ensemble, and a prediction all of them.

    Attributes
    ----------
    classes_ : array, shape (m,)
        0..m-1 if y is an indicator.
    prototypes_ : array, shape (m, n_ensemble e)
    embedding_ : array, shape (n_ensemble e, d), or None
    multilabel_ : bool
        Whether y was an indicator.
    steps_, updates_ : int
        The number of examples that each fit has drawn, and the number of steps of all fits that changed something.
        Both include earlier calls that were continued.
    history_ : list of recarray
        The scores on held-out examples in the last call, one array for each member of the ensemble.
    n_features_in_ : int
    feature_names_in_ : array of str
        Present if X has feature names.

    Notes
    -----
    y holds labels (n,) of any type. For several labels an example, y is an indicator (n, m) of 0 and 1, dense or
    sparse. `predict` then returns an indicator, too, in which only the best class of each row is set: the number of
    labels of an example is not learned. `predict_topk` returns the k best classes.

    A class is frozen if all its examples are skipped. A ``ConvergenceWarning`` then lists the indices of these classes
    in `classes_`.

    `partial_fit` changes the model in place. With an embedding, an example takes O(e) for each of its entries that are
    not 0, and a batch O(m e) more. Without one, an example takes O(1) for each of these entries and each class that is
    drawn, a prototype that moves O(d) more, and a batch O(m) more. `prototypes_` and `embedding_` are copies, made when
    they are read for the first time after a call, or when the model predicts. Later calls do not change arrays that
    were read before, nor pickles and deep copies of the model. The copies have the dtype of X, the model is float64.

    There is no sample_weight. scikit-learn demands that a weight of 2 be the same as the example given twice. Steps are
    drawn at random, and with the example given twice they would be other steps. The two fits agree only on average.

    References
    ----------
    * Paper 003 (Gupta, Bengio, Weston: Training Highly Multiclass Classifiers, 2014), Table 3, and section 8.3 for
      ensembles.
    * Paper (Weston, Bengio, Usunier: Wsabie: Scaling Up to Large Vocabulary Image Annotation, 2011).
    * Paper (Grangier, Bengio: A Discriminative Kernel-Based Approach to Rank Images from Text Queries, 2008).

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

    _on_dask = "call fast.distributed.fit_wsabie_ensemble(X, Y, n_members=..., ...)"

    def __init__(
        self, embedding_dim: int | None = None, discriminant: str = "euclidean", sampling: str = "warp",
        weighting: str = "uniform", step: str = "adagrad", last_violators: int = 0, margin: float = 1.0,
        step_size: float = 0.1, max_norm: float | None = None, n_updates: int | None = None, epochs: int = 10,
        patience: int | None = None, validation_fraction: float = 0.1, n_ensemble: int = 1, warm_start: bool = False,
        random_state: RandomSource = None, verbose: int = 0, n_jobs: int | None = None,
    ) -> None:  # fmt: skip
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
        self.n_jobs = n_jobs

    @classmethod
    def from_preset(cls, name: str, **options: Any) -> Self:
        """Return the classifier with the settings of a paper.

        Parameters
        ----------
        name : {"AUC", "WARP", "WSABIE", "WSABIE_PP"}
        **options
            Parameters of the classifier that replace those of the preset. The margin and the step size of a preset
            fit the scale of the features in the paper.

        Returns
        -------
        classifier : WsabieClassifier
        """
        return cls(**{**PRESETS[checks.choice(name, "name", PRESETS)], **options})

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = tags.classifier_tags.multi_label = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def fit(self, X: Matrix, y: Matrix, **others: Never) -> Self:
        """Draw `n_updates` examples, or `epochs` times n, and make one step for each.

        Parameters
        ----------
        X : array or scipy sparse matrix, shape (n, d)
        y : array, shape (n,), or indicator, array or scipy sparse matrix, shape (n, m)
        **others
            Raise a TypeError. That of sample_weight says why there is none.

        Returns
        -------
        self : WsabieClassifier
        """
        refuse_others(self, others, NO_SAMPLE_WEIGHT)
        X, y = self._validated(X, y, reset=True)
        if is_indicator(y):
            classes, Y = np.arange(y.shape[1]), y
            check_two_classes(classes)
        else:
            classes, Y = classes_and_labels(y)
        size = self.n_updates if self.n_updates is not None else checks.count(self.epochs, "epochs") * X.shape[0]
        self._walk(X, y, Y, classes, self._can_go_on(X, y, classes), size, self.patience)
        return self

    @all_or_nothing
    def partial_fit(self, X: Matrix, y: Matrix, classes: Array | None = None, **others: Never) -> Self:
        """Draw as many examples from a batch as it holds, and make one step for each, starting from the last call.

        Parameters
        ----------
        X : array or scipy sparse matrix, shape (n, d)
        y : array, shape (n,), or indicator, array or scipy sparse matrix, shape (n, m)
        classes : array, shape (m,)
            All classes of all batches. The first call needs them, unless y is an indicator.
        **others
            As in `fit`.

        Returns
        -------
        self : WsabieClassifier
        """
        refuse_others(self, others, NO_SAMPLE_WEIGHT)
        first = not hasattr(self, "classes_")
        check_label_types(classes, "classes")
        X, y = self._validated(X, y, reset=first)
        indicator = is_indicator(y)
        if not first and indicator != self.multilabel_:
            raise ValueError(f"y must {'' if self.multilabel_ else 'not '}be an indicator, as in the first call")
        if _check_partial_fit_first_call(self, np.arange(y.shape[1]) if indicator else classes):
            check_two_classes(self.classes_)
        Y = y if indicator else numbers_of_known(y, self.classes_)
        if self._goes_on_in_place(X):
            self._go_on_in_place(X, Y)
        else:
            self._walk(X, y, Y, self.classes_, hasattr(self, "_generators"), X.shape[0], None)
        return self

    def transform(self, X: Matrix) -> Any:
        """Compute W x for each example, its point among the prototypes. Without an embedding that is X itself.

        Parameters
        ----------
        X : array or scipy sparse matrix, shape (n, d)

        Returns
        -------
        Z : array, shape (n, n_ensemble e)
        """
        X = new_examples(self, X)
        return X if self.embedding_ is None else safe_sparse_dot(X, self.embedding_.T, dense_output=True)

    def _validated(self, X, y, reset):
        X, y = training_examples(self, X, y, multi_output=True, reset=reset)
        return X, labels_or_indicator(y)

    def _can_go_on(self, X, y, classes):
        if not (self.warm_start and hasattr(self, "_generators")) or len(self._generators) != self.n_ensemble:
            return False
        if self.multilabel_ != is_indicator(y) or not np.array_equal(self.classes_, classes):
            return False
        return fits_into(self._fits()[0], self.embedding_dim, self.discriminant, X.shape[1])

    def _walk(self, X, y, Y, classes, goes_on, size, patience):
        """Make `size` steps with each member of the ensemble, starting anew or from the last fits."""
        checks.flag(self.warm_start, "warm_start")
        members, n_jobs = checks.count(self.n_ensemble, "n_ensemble"), threads_of(self.n_jobs)
        if members > 1 and self.embedding_dim is None:
            raise ValueError(f"n_ensemble must be 1 without an embedding_dim, got {members}")
        generators, starts = (self._generators, self._fits()) if goes_on else new_members(members, self.random_state)
        options = {name: getattr(self, name) for name in WALK_OPTIONS}
        progress = bool(self.verbose) and min(n_jobs, members) == 1  # there is one bar at a time
        options |= {"n_classes": len(classes), "n_updates": size, "progress": progress}
        fits = fit_members(X, Y, generators, starts, self.validation_fraction, patience, options, n_jobs)
        self._remember(fits, generators, y, classes)

    def _remember(self, fits, generators, y, classes):
        self._walks, self._copies, self._generators = None, {"fits": fits}, generators
        self._max_norm, self._dtype = self.max_norm, fits[0].prototypes.dtype
        self.classes_, self.multilabel_, self._label_dtype = classes, is_indicator(y), y.dtype
        self._n_features_out = sum(fit.prototypes.shape[1] for fit in fits)
        self.steps_, self.updates_ = fits[0].steps, sum(fit.updates for fit in fits)
        self.history_ = [fit.history for fit in fits]

    def _goes_on_in_place(self, X):
        """Whether a batch can change the model in place: the options are of its shape, and its bound is obeyed."""
        if not hasattr(self, "_generators") or self._max_norm != self.max_norm:
            return False
        first = self._fits()[0] if self._walks is None else self._walks[0].as_shapes()
        same = len(self._generators) == self.n_ensemble
        return same and fits_into(first, self.embedding_dim, self.discriminant, X.shape[1])

    def _go_on_in_place(self, X, Y):
        checks.flag(self.warm_start, "warm_start")
        if self._walks is None:
            self._walks = [walk_in_place(fit) for fit in self._fits()]
        options = {name: getattr(self, name) for name in WALK_OPTIONS if name != "embedding_dim"}
        go_on_all(self._walks, X, Y, self._generators, len(self.classes_), options, threads_of(self.n_jobs))
        self._copies, self._dtype = {}, X.dtype
        self.steps_, self.updates_ = self._walks[0].fit.steps, sum(walk.fit.updates for walk in self._walks)
        self.history_ = [walk.fit.history for walk in self._walks]

    @property
    def prototypes_(self) -> Floats:
        """The prototypes, copied from the model when they are first read after a call."""
        return self._final().prototypes

    @property
    def embedding_(self) -> Floats | None:
        """The embedding, copied from the model when it is first read after a call."""
        return self._final().embedding

    def _fits(self):
        """Returns the fits of the members, as arrays that later calls do not change."""
        if "fits" not in self._copies:
            self._copies["fits"] = [walk.as_fit(self._dtype) for walk in self._walks]
        return self._copies["fits"]

    def _final(self):
        """Returns the fit that predicts."""
        if not hasattr(self, "_generators"):
            raise AttributeError(f"{type(self).__name__} has no prototypes_ and no embedding_ before it is fitted")
        if "final" not in self._copies:
            fits = self._fits()
            self._copies["final"] = concatenate_fits(fits) if len(fits) > 1 else fits[0]
        return self._copies["final"]

    def _scorer(self, X):
        _, fit = checks.features_and_fit(X[:1], self._final())  # scikit-learn has checked all of X
        return prototype_scorer(X, fit)

    def _width(self):
        return max(self._final().prototypes.shape)
