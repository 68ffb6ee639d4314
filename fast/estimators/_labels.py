"""Class labels of any type as numbers 0..m-1, and the weights of examples and of classes."""

import numpy as np
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight

UNKNOWN = -1  # the number of a label that is none of the classes


def classes_and_labels(y):
    """Returns the classes (m,), sorted, and the labels (n,) as numbers 0..m-1. `y` is checked by validate_data."""
    check_classification_targets(y)
    classes, numbers = np.unique(y, return_inverse=True)
    check_two_classes(classes)
    return classes, numbers.reshape(-1).astype(np.int64)


def check_two_classes(classes):
    """Raise ValueError if there is only one class: a classifier needs two."""
    if len(classes) < 2:
        raise ValueError(f"y must hold at least two classes, got 1 class: {classes.tolist()[0]!r}")


def numbers_of(labels, classes):
    """Returns the labels (n,) as numbers 0..m-1; UNKNOWN stands for a label that is none of the classes."""
    number = {label: g for g, label in enumerate(classes.tolist())}
    return np.array([number.get(label, UNKNOWN) for label in np.asarray(labels).tolist()], np.int64)


def numbers_of_known(labels, classes):
    """Returns the labels (n,) of a batch as numbers 0..m-1. ValueError if one is none of the classes."""
    numbers = numbers_of(labels, classes)
    if numbers.min() == UNKNOWN:
        unknown = np.asarray(labels)[numbers == UNKNOWN].tolist()[0]
        raise ValueError(f"y must hold the classes given at first, got {unknown!r}: list all classes in the first call")
    return numbers


def sample_weights(sample_weight, X):
    """Returns the weights (n,) of the examples, float64, or ones if none are given. They are >= 0 and not all 0."""
    if sample_weight is None:
        return np.ones(X.shape[0])
    weights = _check_sample_weight(sample_weight, X, dtype=np.float64)
    if not weights.any():
        raise ValueError("sample_weight must be above zero for at least one example, got zeros only")
    if weights.min() < 0:
        raise ValueError(f"sample_weight must be >= 0, got {weights.min()}")
    return weights


def weighted_by_class(class_weight, classes, y, labels, rows):
    """Returns the weights `rows` (n,) of the examples times the weights of their classes.

    "balanced" counts only the examples whose weight is above 0.
    """
    counted, of_classes = rows > 0, np.zeros(len(classes))
    if isinstance(class_weight, str):
        present = np.unique(labels[counted])
        of_classes[present] = compute_class_weight(
            class_weight, classes=classes[present], y=y[counted], sample_weight=rows[counted]
        )
    else:
        of_classes[:] = compute_class_weight(class_weight, classes=classes, y=y)
    weights = of_classes[labels] * rows
    if not (np.isfinite(weights).all() and weights.min() >= 0):
        raise ValueError(f"class_weight must be finite and >= 0, got {class_weight!r}")
    return weights


def check_weighted_classes(classes, labels, weights, name):
    """Raise ValueError if fewer than two classes have an example whose weight is above 0."""
    weighted = np.unique(labels[weights > 0])
    if len(weighted) < 2:
        got = f"got it for class {classes[weighted].tolist()} only" if len(weighted) else "got it for no class"
        raise ValueError(f"{name} must leave at least two classes a weight above zero, {got}")
