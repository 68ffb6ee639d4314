"""Class labels of any type as numbers 0..m-1, and the weights of examples and of classes."""

from numbers import Number

import numpy as np
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight

UNKNOWN = -1  # the number of a label that is none of the classes


def check_label_types(labels, name="y"):
    """Raise ValueError if labels are of several types, such as numbers and text, or if one is missing.

    NumPy would turn the numbers of such a list into text, or could not sort the labels. Arrays of other types than
    object, sparse indicators and lists of rows are left to scikit-learn's checks.
    """
    if not isinstance(labels, (list, tuple)):
        labels = np.asarray(labels)
        labels = labels.ravel().tolist() if labels.dtype == object and labels.ndim else []
    kinds = {}
    for label in {type(label): label for label in labels}.values():  # one label of each type
        kinds.setdefault(_kind_of_label(label), label)
    if "row" not in kinds and (len(kinds) > 1 or any(label is None for label in kinds.values())):
        got = ", ".join(f"{label!r} ({kind})" for kind, label in kinds.items())
        raise ValueError(
            f"{name} must hold labels of one type, got {got}: leave out examples without a label, and convert the "
            f"others to one type, for example to text by [str(label) for label in {name}]"
        )


def _kind_of_label(label):
    """Returns what a label is, in words: labels of one kind can be compared with each other."""
    if label is None or (isinstance(label, float) and np.isnan(label)):
        return "no label"
    if isinstance(label, (list, tuple, np.ndarray)):
        return "row"
    kinds = {"text": str, "bytes": bytes, "number": (Number, np.bool_)}
    return next((name for name, kind in kinds.items() if isinstance(label, kind)), type(label).__name__)


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


def weighted_in_batch(class_weight, classes, y, labels, rows):
    """Returns `weighted_by_class` for `partial_fit`. ValueError if it would need later batches, or if all are 0."""
    if isinstance(class_weight, str):
        raise ValueError(
            f"class_weight must be a dict or None for partial_fit, which cannot count the classes of later "
            f"batches, got {class_weight!r}: compute the weights from all data and pass a dict"
        )
    weights = weighted_by_class(class_weight, classes, y, labels, rows)
    if not weights.any():
        raise ValueError(
            "class_weight must leave some example of a batch a weight above zero, got zero for all: skip this batch"
        )
    return weights


def check_weighted_classes(classes, labels, weights, name):
    """Raise ValueError if fewer than two classes have an example whose weight is above 0."""
    weighted = np.unique(labels[weights > 0])
    if len(weighted) < 2:
        got = f"got it for class {classes[weighted].tolist()} only" if len(weighted) else "got it for no class"
        raise ValueError(f"{name} must leave at least two classes a weight above zero, {got}")
