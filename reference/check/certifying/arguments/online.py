"""The arguments of passive-aggressive updates."""

import numpy as np

from ....problems import checks


def multiclass_update(A, x, y, **rule):
    """Check the weights, the example and the rule of the update. Returns weights, features and label."""
    A, x, y, norm = checks.model_and_example(A, x, y)
    checks.update_rule(len(checks.finite_array(A, "A")), norm, **rule)
    return {"A": A, "x": x, "y": y}


def fit_passive_aggressive(X, y, n_classes, epochs, averaged, order, seed, sample_weight, weights, progress, **rule):
    """Check the examples, the weights to start from, the rule and the passes. Returns features and labels."""
    X, y, A = checks.stream(X, y, n_classes, weights)
    checks.flag(averaged, "averaged")
    squares = X.multiply(X).sum(axis=1) if hasattr(X, "toarray") else np.einsum("ij,ij->i", X, X, dtype=np.float64)
    norms = checks.squared_norms(np.ravel(squares).astype(np.float64), "X")
    checks.stream_rule(len(A), norms, sample_weight=sample_weight, **rule)
    checks.passes(order, len(y), epochs, seed)
    checks.flag(progress, "progress")
    return {"X": X, "y": y}


def squish_column(z, lower, upper):
    """Check the columns and the interval of their entries. Returns columns and both bounds."""
    z = checks.points(z, "z")
    lower, upper = checks.interval(lower, upper, z.dtype)
    return {"z": z, "lower": lower, "upper": upper}
