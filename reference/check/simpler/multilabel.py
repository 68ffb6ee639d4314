"""Simpler and tiny instances of multilabel losses and fits."""

import numpy as np

from ._base import fewer, ranks, rounder


def scores(arguments):
    """Yields instances of a loss with fewer examples, fewer classes or rounder numbers."""
    s, Y = arguments["scores"], arguments["Y"]
    for rows in fewer(len(s)):
        yield {**arguments, "scores": s[rows].copy(), "Y": Y[rows].copy()}
    for kept in fewer(s.shape[1]):
        yield {**arguments, "scores": s[:, kept].copy(), "Y": Y[:, kept].copy()}
    yield from rounder(arguments, ("scores", "smoothing"))


def training_set(arguments):
    """Yields instances of a fit with fewer examples, classes or features, or rounder numbers."""
    X, Y, weights = arguments["X"], arguments["Y"], arguments.get("sample_weight")
    for rows in fewer(len(Y)):
        order = {"order": ranks(arguments["order"], rows)} if np.ndim(arguments.get("order")) == 1 else {}
        of_rows = {} if weights is None else {"sample_weight": weights[rows].copy()}
        if _is_proper(Y[rows]) and (weights is None or weights[rows].any()):
            yield {**arguments, "X": X[rows].copy(), "Y": Y[rows].copy(), **order, **of_rows}
    for kept in fewer(Y.shape[1]):
        if _is_proper(Y[:, kept]):
            yield {**arguments, "Y": Y[:, kept].copy()}
    for columns in fewer(X.shape[1]):
        yield {**arguments, "X": X[:, columns].copy()}
    yield from rounder(arguments, ("X", "regularization", "smoothing"))


def tiny_scores(rng, arguments):
    """Yields tiny instances of a loss, the smallest first."""
    for m in np.repeat((2, 3, 4), (8, 12, 12)):
        s = rng.integers(-1, 3, size=(1, m)).astype(arguments["scores"].dtype)
        yield {**arguments, "scores": s, "Y": rng.integers(0, 2, size=(1, m)).astype(arguments["Y"].dtype)}


def tiny_training_sets(rng, arguments):
    """Yields tiny instances of a fit, the smallest first."""
    without = {key: value for key, value in arguments.items() if key not in ("order", "sample_weight")}
    for n in np.repeat((1, 2, 3, 4), (8, 8, 8, 8)):
        X = rng.integers(-1, 2, size=(n, int(rng.integers(1, 3)))).astype(arguments["X"].dtype)
        Y = rng.integers(0, 2, size=(n, int(rng.integers(2, 4)))).astype(arguments["Y"].dtype)
        if _is_proper(Y):
            yield {**without, "X": X, "Y": Y}


def _is_proper(Y):
    """True if some example has a label and lacks another."""
    return bool((Y.astype(bool).any(axis=1) & ~Y.astype(bool).all(axis=1)).any())
