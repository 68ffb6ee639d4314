"""Simpler and tiny instances of samples for TopPush and SVMperf: flat, or examples times classes."""

import numpy as np

from ..judging.simplify import fewer, rounder


def samples(arguments):
    """Yields instances without duals or weights, with fewer rows, classes or features, a smaller k, rounder numbers."""
    relevant = arguments["relevant"]
    for extra in {"duals", "sample_weight"} & arguments.keys():
        yield {name: value for name, value in _with_count(arguments, extra).items() if name != extra}
    for rows in fewer(len(relevant)):
        yield from _kept(arguments, arguments["X"][rows].copy(), relevant[rows].copy(), rows)
    if relevant.ndim == 2:
        for classes in fewer(relevant.shape[1]):
            yield from _kept(arguments, arguments["X"], relevant[:, classes].copy())
        yield from (flat for flags in relevant.T for flat in _kept(arguments, arguments["X"], flags.copy()))
    for columns in fewer(arguments["X"].shape[1]):
        yield {**arguments, "X": arguments["X"][:, columns].copy()}
    if arguments.get("k", 1) > 1:
        yield from _kept({**arguments, "k": arguments["k"] - 1}, arguments["X"], relevant)
    for instance in rounder(arguments, ("X", "regularization", "sample_weight")):
        if _has_both(relevant, instance):
            most = _most(relevant, instance)
            yield {**instance, "k": min(instance["k"], most)} if "k" in instance else instance


def tiny_samples(rng, arguments):
    """Yields tiny instances, the smallest first, of the same dtypes."""
    X, flags = arguments["X"], arguments["relevant"]
    for n in np.repeat((2, 3, 4, 5), (4, 8, 8, 8)):
        shape = (n,) if flags.ndim == 1 or n > 3 else (n, 2)
        relevant = rng.integers(0, 2, size=shape).astype(flags.dtype)
        features = rng.integers(-1, 2, size=(n, int(rng.integers(1, 3)))).astype(X.dtype)
        weights = {"sample_weight": rng.integers(0, 3, size=n)} if "sample_weight" in arguments else {}
        yield from _kept(arguments | weights, features, relevant)


def _kept(arguments, X, relevant, rows=slice(None)):
    """Yields the instance with these samples if they have both classes, and weights. k is clipped to its range."""
    smaller = {name: value for name, value in arguments.items() if name != "duals"}
    if "sample_weight" in smaller:
        smaller["sample_weight"] = smaller["sample_weight"][rows].copy()
    if _has_both(relevant, smaller):
        if "k" in smaller:
            smaller["k"] = min(smaller["k"], _most(relevant, smaller))
        yield {**smaller, "X": X, "relevant": relevant}


def _most(relevant, arguments):
    """Returns the largest k: the number of all samples, or their weight."""
    columns = relevant.size // len(relevant)
    return float(columns * arguments["sample_weight"].sum()) if "sample_weight" in arguments else relevant.size


def _with_count(arguments, extra):
    """Returns the arguments with a k that is a number of samples, if there is one and weights are removed."""
    if extra != "sample_weight" or "k" not in arguments:
        return arguments
    return {**arguments, "k": int(np.clip(round(arguments["k"]), 1, arguments["relevant"].size))}


def _has_both(relevant, arguments):
    """Returns whether there are samples of both classes, in rows of positive weight if there are weights."""
    counted = relevant[arguments["sample_weight"] > 0] if "sample_weight" in arguments else relevant
    return len(set(counted.ravel().tolist())) == 2
