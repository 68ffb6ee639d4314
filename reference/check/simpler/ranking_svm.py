"""Simpler and tiny instances of samples in groups. Every group keeps both classes."""

import numpy as np

from ..judging.simplify import fewer, rounder

BY_SAMPLE = ("X", "scores", "relevant", "groups", "group_weight")


def samples(arguments):
    """Yields instances with fewer groups, samples or features, or rounder numbers."""
    relevant, groups = arguments["relevant"], arguments.get("groups")
    if groups is not None:
        for left_out in np.unique(groups)[::-1]:
            yield from _kept(arguments, groups != left_out)
        yield {**_unweighted(arguments), "groups": None}
    if "group_weight" in arguments:
        yield _unweighted(arguments)
    for rows in fewer(len(relevant)):
        yield from _kept(arguments, np.isin(np.arange(len(relevant)), rows))
    if "X" in arguments:
        for columns in fewer(arguments["X"].shape[1]):
            yield {**arguments, "X": arguments["X"][:, columns].copy()}
    yield from rounder(arguments, ("X", "scores", "regularization"))


def tiny_samples(rng, arguments):
    """Yields tiny instances, the smallest first, of the same dtypes."""
    for sizes in [(2,)] * 4 + [(3,), (2, 2), (2, 3)] * 8:
        n, tiny = sum(sizes), {}
        relevant = np.concatenate([np.arange(size) < rng.integers(1, size) for size in sizes])
        if "X" in arguments:
            shape = (n, int(rng.integers(1, 3)))
            tiny["X"] = rng.integers(-1, 2, size=shape).astype(arguments["X"].dtype)
        else:
            tiny["scores"] = rng.integers(-2, 3, size=n).astype(arguments["scores"].dtype)
        groups = None if len(sizes) == 1 else np.repeat(np.arange(len(sizes)), sizes)
        if "group_weight" in arguments:
            tiny["group_weight"] = np.repeat(1.0 + np.arange(len(sizes)), sizes)
        yield {**arguments, **tiny, "relevant": relevant, "groups": groups}


def _unweighted(arguments):
    return {name: value for name, value in arguments.items() if name != "group_weight"}


def _kept(arguments, rows):
    """Yields the instance with these rows if every group, and the whole, keeps both classes."""
    relevant, groups = arguments["relevant"][rows].astype(bool), arguments.get("groups")
    numbers = np.zeros(len(relevant)) if groups is None else groups[rows]
    flags = [set(relevant[numbers == number].tolist()) for number in np.unique(numbers)]
    if rows.any() and not rows.all() and all(len(both) == 2 for both in flags):
        yield {
            name: value[rows].copy() if name in BY_SAMPLE and value is not None else value
            for name, value in arguments.items()
        }
