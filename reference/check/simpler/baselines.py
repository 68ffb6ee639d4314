"""Simpler and tiny instances of samples for TopPush and SVMperf: flat, or examples times classes."""

import numpy as np

from ._base import fewer, rounder


def samples(arguments):
    """Yields instances without duals, with fewer rows, classes or features, a smaller k, or rounder numbers."""
    relevant = arguments["relevant"]
    if "duals" in arguments:
        yield {name: value for name, value in arguments.items() if name != "duals"}
    for rows in fewer(len(relevant)):
        yield from _kept(arguments, arguments["X"][rows].copy(), relevant[rows].copy())
    if relevant.ndim == 2:
        for classes in fewer(relevant.shape[1]):
            yield from _kept(arguments, arguments["X"], relevant[:, classes].copy())
        yield from (flat for flags in relevant.T for flat in _kept(arguments, arguments["X"], flags.copy()))
    for columns in fewer(arguments["X"].shape[1]):
        yield {**arguments, "X": arguments["X"][:, columns].copy()}
    if arguments.get("k", 1) > 1:
        yield from _kept({**arguments, "k": arguments["k"] - 1}, arguments["X"], relevant)
    yield from rounder(arguments, ("X", "regularization"))


def tiny_samples(rng, arguments):
    """Yields tiny instances, the smallest first, of the same dtypes."""
    X, flags = arguments["X"], arguments["relevant"]
    for n in np.repeat((2, 3, 4, 5), (4, 8, 8, 8)):
        shape = (n,) if flags.ndim == 1 or n > 3 else (n, 2)
        relevant = rng.integers(0, 2, size=shape).astype(flags.dtype)
        features = rng.integers(-1, 2, size=(n, int(rng.integers(1, 3)))).astype(X.dtype)
        yield from _kept(arguments, features, relevant)


def _kept(arguments, X, relevant):
    """Yields the instance with these samples if they have both classes. k is clipped to its range."""
    if len(set(relevant.ravel().tolist())) == 2:
        smaller = {name: value for name, value in arguments.items() if name != "duals"}
        if "k" in smaller:
            smaller["k"] = min(smaller["k"], relevant.size)
        yield {**smaller, "X": X, "relevant": relevant}
