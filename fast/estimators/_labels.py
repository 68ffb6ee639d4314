"""What the estimators have in common: labels as numbers, weights, a feature of ones for the intercept, a seed."""

from functools import wraps

import numpy as np
from scipy import sparse
from sklearn.utils import check_random_state
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight


def classes_and_labels(y):
    """The classes (m,), sorted, and the labels (n,) as numbers 0..m-1, of targets that validate_data has seen."""
    check_classification_targets(y)
    classes, numbers = np.unique(y, return_inverse=True)
    check_classes(classes)
    return classes, numbers.reshape(-1).astype(np.int64)


def check_classes(classes):
    """Two classes at least: with one there is nothing to choose."""
    if len(classes) < 2:
        raise ValueError(f"y must hold at least two classes, got 1 class: {classes.tolist()[0]!r}")


def numbers_of(labels, classes):
    """The labels as numbers 0..m-1, and -1 for those that are no class."""
    number = {label: g for g, label in enumerate(classes.tolist())}
    return np.array([number.get(label, -1) for label in np.asarray(labels).tolist()], np.int64)


def numbers_of_known(labels, classes):
    """The labels of a batch as numbers 0..m-1; there must be no others than at first."""
    numbers = numbers_of(labels, classes)
    if numbers.min() < 0:
        unknown = np.asarray(labels)[numbers < 0].tolist()[0]
        raise ValueError(f"y must hold the classes given at first, got {unknown!r}")
    return numbers


def sample_weights(sample_weight, X):
    """The weights (n,) of the examples, float64: >= 0 and not all 0; 1 if none are given."""
    if sample_weight is None:
        return np.ones(X.shape[0])
    weights = _check_sample_weight(sample_weight, X, dtype=np.float64)
    if not weights.any():
        raise ValueError("sample_weight must not be zero everywhere")
    if weights.min() < 0:
        raise ValueError(f"sample_weight must be >= 0, got {weights.min()}")
    return weights


def weighted_by_class(class_weight, classes, y, labels, rows):
    """The weights of the examples, times those of their classes; "balanced" counts what has a weight above 0."""
    some, of_classes = rows > 0, np.zeros(len(classes))
    if isinstance(class_weight, str):
        counted = np.unique(labels[some])
        found = compute_class_weight(class_weight, classes=classes[counted], y=y[some], sample_weight=rows[some])
        of_classes[counted] = found
    else:
        of_classes[:] = compute_class_weight(class_weight, classes=classes, y=y)
    weights = of_classes[labels] * rows
    if not (np.isfinite(weights).all() and weights.min() >= 0):
        raise ValueError(f"class_weight must be finite and >= 0, got {class_weight!r}")
    return weights


def check_weighted_classes(classes, labels, weights, name):
    """Two classes at least must be left, as if examples of weight 0 were not there."""
    left = np.unique(labels[weights > 0])
    if len(left) < 2:
        names = classes[left].tolist()
        raise ValueError(f"{name} must leave at least two classes a weight above zero, got it for class {names}")


def with_ones(X, wanted):
    """X, dense or CSR, with a last feature that is always 1, if there is to be an intercept."""
    if not wanted:
        return X
    ones = np.ones((X.shape[0], 1), X.dtype)
    return sparse.hstack([X, ones], format="csr") if sparse.issparse(X) else np.hstack([X, ones])


def without_ones(weights, wanted):
    """Weights (m, d) and intercepts (m,) from those of `with_ones`; intercepts are 0 if there were none."""
    if not wanted:
        return weights, np.zeros(len(weights), weights.dtype)
    return np.ascontiguousarray(weights[:, :-1]), weights[:, -1].copy()


def all_or_nothing(method):
    """A method after which, if it fails, the model is what it was: not half fitted, if it was not fitted at all."""

    @wraps(method)
    def wrapped(model, *args, **kwargs):
        before = dict(vars(model))
        try:
            return method(model, *args, **kwargs)
        except BaseException:
            vars(model).clear()
            vars(model).update(before)
            raise

    return wrapped


def inverse(C, n, name="C n"):
    """lambda = 1 / (C n), if it is a number > 0."""
    product = float(C) * int(n)
    number = 1 / product if product > 0 else np.inf
    if not 0 < number < np.inf:
        raise ValueError(f"C must leave 1 / ({name}) in range, got C = {C!r}")
    return number


def draw_seeds(random_state, size=None):
    """One seed for NumPy's Generator, or several: the same for the same int; a RandomState moves on."""
    return check_random_state(random_state).randint(np.iinfo(np.int32).max, size=size)
