"""The arguments of passive-aggressive updates."""

import numpy as np

from .... import contract


def multiclass_update(A, x, y, **rule):
    """Check the weights, the example and the rule of the update. Returns weights, features and label."""
    A, x, y, norm = contract.model_and_example(A, x, y)
    contract.update_rule(len(contract.finite_array(A, "A")), norm, **rule)
    return {"A": A, "x": x, "y": y}


def fit_passive_aggressive(X, y, n_classes, epochs, averaged, order, seed, sample_weight, weights, progress, **rule):
    """Check the examples, the weights to start from, the rule and the passes. Returns features and labels."""
    X, y, A = contract.stream(X, y, n_classes, weights)
    contract.flag(averaged, "averaged")
    squares = X.multiply(X).sum(axis=1) if hasattr(X, "toarray") else np.einsum("ij,ij->i", X, X, dtype=np.float64)
    norms = contract.squared_norms(np.ravel(squares).astype(np.float64), "X")
    contract.stream_rule(len(A), norms, sample_weight=sample_weight, **rule)
    contract.passes(order, len(y), epochs, seed)
    contract.flag(progress, "progress")
    return {"X": X, "y": y}
