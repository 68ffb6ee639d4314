"""Checks of the Wsabie family: sets of labels, options and presets, and fits to start from or to predict with."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from .arguments import (
    MOST_CLASSES,
    brief,
    choice,
    count,
    features,
    finite_array,
    in_range,
    integers,
    labels,
    nonnegative,
    positive,
    real_array,
)
from .results import WsabieFit
from .svm import example_weights
from .walk import MOST_UPDATES

DISCRIMINANTS, SAMPLINGS = ("linear", "euclidean"), ("auc", "warp")
WEIGHTINGS, STEPS = ("harmonic", "uniform"), ("constant", "adagrad")
NONE = -1  # in place of the last violator of a class that has none

# The options of Tables 5 and 9 of the paper (21k ImageNet; WARP is WSABIE without its embedding). The right margin and
# step size depend on the units of the data: choose them on a validation set.
AUC: dict[str, Any] = {
    "embedding_dim": None, "discriminant": "linear", "sampling": "auc", "weighting": "uniform", "step": "adagrad",
    "last_violators": 0, "margin": 0.1, "step_size": 0.01, "max_norm": 1.0,
}  # fmt: skip
WARP: dict[str, Any] = {**AUC, "sampling": "warp", "weighting": "harmonic", "step": "constant", "step_size": 0.001}
WSABIE: dict[str, Any] = {**WARP, "embedding_dim": 128}
WSABIE_PP: dict[str, Any] = {
    "embedding_dim": 192, "discriminant": "euclidean", "sampling": "warp", "weighting": "uniform", "step": "adagrad",
    "last_violators": 8, "margin": 10000.0, "step_size": 10.0, "max_norm": None,
}  # fmt: skip


# --- labels --------------------------------------------------------------------------------------------------------


class LabelSets(NamedTuple):
    """The labels of example t are classes[starts[t]:starts[t + 1]], ascending."""

    classes: np.ndarray  # int64
    starts: np.ndarray  # (n + 1,) int64
    n_classes: int

    def of(self, t):
        """The labels of example t."""
        return self.classes[self.starts[t] : self.starts[t + 1]]


def label_sets(Y, n, n_classes=None, name="Y"):
    """Labels (n,) or a 0/1 indicator (n, m), dense or CSR, as LabelSets.

    Some example must have a label and lack another one.
    """
    if n_classes is not None:
        n_classes = count(n_classes, "n_classes", MOST_CLASSES, smallest=2)
    indicator = hasattr(Y, "tocsr") or np.ndim(Y if isinstance(Y, np.ndarray) else np.asarray(Y, dtype=object)) == 2
    sets = _from_indicator(Y, n, n_classes, name) if indicator else _from_labels(Y, n, n_classes, name)
    sizes = sets.starts[1:] - sets.starts[:-1]
    if not ((sizes > 0) & (sizes < sets.n_classes)).any():
        raise ValueError(f"{name} must hold an example that has a label and lacks another, got {n} with none or all")
    return sets


def _from_labels(Y, n, n_classes, name):
    y = labels(Y, n, n_classes or MOST_CLASSES, name)
    if n_classes is None:
        n_classes = int(y.max()) + 1
        if n_classes < 2:
            raise ValueError(f"{name} must hold at least two classes (or n_classes say how many), got only {y[0]}")
    return LabelSets(y, np.arange(n + 1), n_classes)


def _from_indicator(Y, n, n_classes, name):
    matrix = features(Y, name)
    if matrix.shape[0] != n or matrix.shape[1] != (n_classes or max(matrix.shape[1], 2)):
        raise ValueError(f"{name} must have shape ({n}, {n_classes or 'at least 2 classes'}), got shape {matrix.shape}")
    values = matrix.data if hasattr(matrix, "tocsr") else matrix
    wrong = (values != 0) & (values != 1)
    if wrong.any():
        raise ValueError(f"{name} must be labels (n,), or an indicator of 0 and 1, got {values[wrong][0]}")
    rows, classes = matrix.nonzero()
    ascending = np.lexsort((classes, rows))
    starts = np.concatenate(([0], np.cumsum(np.bincount(rows, minlength=n))))
    return LabelSets(classes[ascending].astype(np.int64), starts.astype(np.int64), matrix.shape[1])


def sets_of_all_classes(Y, n, n_classes):
    """Labels or an indicator as LabelSets. Each class must have an example."""
    sets = label_sets(Y, n, n_classes)
    absent = np.setdiff1d(np.arange(sets.n_classes), sets.classes)
    if absent.size:
        raise ValueError(f"Y must hold an example of each class 0..{sets.n_classes - 1}, got none of {absent[0]}")
    return sets


def weights_of_means(sample_weight, sets):
    """The weights (n,) of the examples in float64, all 1 if none are given. Each class must have one above 0."""
    weights = example_weights(sample_weight, len(sets.starts) - 1)
    counted = np.zeros(sets.n_classes, bool)
    counted[sets.classes[np.repeat(weights > 0, np.diff(sets.starts))]] = True
    if not counted.all():
        raise ValueError(
            f"sample_weight must be above 0 for an example of each class, got 0 for all of {np.argmin(counted)}"
        )
    return weights


def labels_and_predictions(y, predicted):
    """Labels (n,) and predicted classes (n,), as int64."""
    y = integers(y, "y must hold integers 0..m-1")
    if y.ndim != 1 or y.size == 0:
        raise ValueError(f"y must hold at least one label, in one dimension, got shape {y.shape}")
    return labels(y, len(y)), labels(predicted, len(y), name="predicted")


def scores_and_sets(scores, Y, margin):
    """Scores (n, m) in float64, the sets of labels and the margin."""
    scores = finite_array(real_array(scores, "scores", (2,)), "scores").astype(np.float64)
    if scores.shape[1] < 2:
        raise ValueError(f"scores must have at least two columns, one a class, got shape {scores.shape}")
    return scores, label_sets(Y, *scores.shape), nonnegative(margin, "margin")


# --- options -------------------------------------------------------------------------------------------------------


class WsabieRule(NamedTuple):
    """The checked options of a walk: what it draws, and how it steps."""

    discriminant: str
    sampling: str
    weighting: str
    step: str
    last_violators: int
    margin: float
    step_size: float
    max_norm: float  # inf without a bound


def wsabie_rule(discriminant, sampling, weighting, step, last_violators, margin, step_size, max_norm):
    """The options of `fit_wsabie` as a WsabieRule."""
    return WsabieRule(
        choice(discriminant, "discriminant", DISCRIMINANTS),
        choice(sampling, "sampling", SAMPLINGS),
        choice(weighting, "weighting", WEIGHTINGS),
        choice(step, "step", STEPS),
        count(last_violators, "last_violators", smallest=0),
        nonnegative(margin, "margin"),
        positive(step_size, "step_size"),
        np.inf if max_norm is None else positive(max_norm, "max_norm"),
    )


def one_vs_all_rule(step, margin, step_size, max_norm):
    """The options of `fit_one_vs_all` as a WsabieRule. The other fields have no effect on it."""
    return wsabie_rule("linear", "auc", "uniform", step, 0, margin, step_size, max_norm)


def negatives_to_try(negatives, validation, d, n_classes):
    """Returns the numbers of negatives as a list, and a function fit -> accuracy, or None without a validation set."""
    counts = [negatives] if np.ndim(negatives) == 0 else list(negatives)
    counts = [count(number, "negatives") for number in counts]
    if not counts or (len(counts) > 1 and validation is None):
        got = f"{brief(negatives)} {'without' if validation is None else 'with'} validation"
        raise ValueError(f"negatives must be one number, or several numbers with validation=(X, Y), got {got}")
    if validation is None:
        return counts, None
    if not isinstance(validation, (tuple, list)) or len(validation) != 2:
        raise ValueError(f"validation must be a pair (X, Y), got {brief(validation)}")
    X = features(validation[0], "validation X")
    if X.shape[1] != d:
        raise ValueError(f"validation X must have {d} columns, got shape {X.shape}")
    sets = label_sets(validation[1], X.shape[0], n_classes, "validation Y")

    def accuracy(fit):
        with np.errstate(over="ignore", invalid="ignore"):  # a fit that is too large is refused later
            return _accuracy(X @ fit.prototypes.T, sets)

    return counts, accuracy


def _accuracy(scores, sets):
    """The share of the examples for which the class of the largest score is a label."""
    return np.mean([best in sets.of(t) for t, best in enumerate(np.asarray(scores).argmax(axis=1))])


# --- fits ----------------------------------------------------------------------------------------------------------


def wsabie_start(start, n_classes, d, embedding_dim, discriminant, draws):
    """The WsabieFit that a walk starts from, in float64: a copy of `start`, or prototypes 0 and W of random signs."""
    if embedding_dim is not None:
        embedding_dim = count(embedding_dim, "embedding_dim")
    e = embedding_dim or d
    if start is None:
        W = np.where(draws.take(e * d).reshape(e, d) < 0.5, -1.0, 1.0) if embedding_dim else None
        start = WsabieFit(np.zeros((n_classes, e)), W, discriminant)
    elif not isinstance(start, WsabieFit):
        raise ValueError(f"start must be a WsabieFit, got {brief(start)}")
    if start.discriminant != discriminant:
        raise ValueError(f"discriminant must be that of start, {start.discriminant!r}, got {discriminant!r}")
    if (start.embedding is None) != (embedding_dim is None):
        raise ValueError(f"embedding_dim must be given if and only if start has an embedding, got {embedding_dim}")
    last = np.full(n_classes, NONE) if start.last_violators is None else start.last_violators
    last = integers(last, "start.last_violators must hold classes or -1")
    if last.shape != (n_classes,) or last.min() < NONE or last.max() >= n_classes:
        raise ValueError(f"start.last_violators must hold {n_classes} classes or -1, got {brief(last)}")
    skipped = np.zeros(n_classes, int) if start.skipped is None else start.skipped
    skipped = integers(skipped, "start.skipped must hold integers")
    if skipped.shape != (n_classes,) or skipped.min() < 0:
        raise ValueError(f"start.skipped must hold {n_classes} counts >= 0, got {brief(skipped)}")
    return start._replace(
        steps=count(start.steps, "start.steps", MOST_UPDATES, smallest=0),
        updates=count(start.updates, "start.updates", MOST_UPDATES, smallest=0),
        prototypes=_given(start.prototypes, "start.prototypes", (n_classes, e)),
        embedding=None if start.embedding is None else _given(start.embedding, "start.embedding", (e, d)),
        prototype_sums=_sums(start.prototype_sums, "start.prototype_sums", n_classes),
        embedding_sums=None if start.embedding is None else _sums(start.embedding_sums, "start.embedding_sums", e),
        last_violators=last.astype(np.int64),
        skipped=skipped.astype(np.int64),
    )


def rounded(fit, dtype):
    """A copy of the fit, in the dtype of the features. It must be finite."""
    for name in ("prototype_sums", "embedding_sums"):
        if getattr(fit, name) is not None:
            in_range(getattr(fit, name), np.float64, name)
    W = None if fit.embedding is None else in_range(fit.embedding, dtype, "embedding")
    # Every array is a copy, because a callback may keep the fit, or write to it.
    copies = {name: getattr(fit, name) for name in ("prototype_sums", "embedding_sums", "last_violators", "skipped")}
    copies = {name: None if array is None else array.copy() for name, array in copies.items()}
    return fit._replace(prototypes=in_range(fit.prototypes, dtype, "prototypes"), embedding=W, **copies)


def features_and_fit(X, fit):
    """Features (n, d), dense or CSR, and a WsabieFit for d features, in float64."""
    X, fit = features(X), _checked(fit)
    width = (fit.prototypes if fit.embedding is None else fit.embedding).shape[1]
    if X.shape[1] != width:
        raise ValueError(f"X must have {width} columns, as the fit has, got shape {X.shape}")
    return X, fit


def fits_to_concatenate(fits):
    """The fits as a list. Their prototypes and embeddings must fit side by side."""
    fits = list(fits) if isinstance(fits, Iterable) else None
    if not fits or not all(isinstance(fit, WsabieFit) and fit.embedding is not None for fit in fits):
        raise ValueError(f"fits must hold fits with an embedding, got {brief(fits)}")
    kinds = {(f.discriminant, len(f.prototypes), f.embedding.shape[1]) for f in map(_checked, fits)}
    dtypes = {np.asarray(array).dtype.name for fit in fits for array in (fit.prototypes, fit.embedding)}
    if len(kinds) > 1 or len(dtypes) > 1:
        kinds = f"{sorted(kinds)}, {sorted(dtypes)}"
        raise ValueError(f"fits must agree in discriminant, number of classes and of features, and dtype, got {kinds}")
    return fits


def _checked(fit):
    """A WsabieFit whose prototypes and embedding have matching shapes, in float64."""
    if not isinstance(fit, WsabieFit):
        raise ValueError(f"fit must be a WsabieFit, got {brief(fit)}")
    choice(fit.discriminant, "fit.discriminant", DISCRIMINANTS)
    prototypes = finite_array(real_array(fit.prototypes, "fit.prototypes", (2,)), "fit.prototypes")
    W = fit.embedding if fit.embedding is None else real_array(fit.embedding, "fit.embedding", (2,))
    if W is not None and len(finite_array(W, "fit.embedding")) != prototypes.shape[1]:
        raise ValueError(f"fit.embedding must have {prototypes.shape[1]} rows, got shape {W.shape}")
    W = None if W is None else W.astype(np.float64, order="C")
    return fit._replace(prototypes=prototypes.astype(np.float64, order="C"), embedding=W)


def _given(values, name, shape):
    array = finite_array(real_array(values, name, (len(shape),)), name).astype(np.float64, order="C")
    if array.shape != shape:
        raise ValueError(f"{name} must have shape {shape}, got shape {array.shape}")
    return array


def zero_fit(n_classes, d):
    """A fit whose prototypes are 0 and compared by inner products, without an embedding."""
    return WsabieFit(np.zeros((n_classes, d)), None, "linear", np.zeros(n_classes))


def _sums(values, name, size):
    array = _given(np.zeros(size) if values is None else values, name, (size,))
    if array.min() < 0:
        raise ValueError(f"{name} must hold numbers >= 0, got {array.min()}")
    return array
