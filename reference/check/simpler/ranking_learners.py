"""Simpler and tiny instances of direct loss minimisation, and of windows in bags."""

import numpy as np

from ..judging.simplify import fewer, rounder
from . import ranking_svm

BY_WINDOW = ("X", "bags", "relevant")


def steps(arguments):
    """Yields instances of fit_direct_loss with fewer steps, groups, samples or features, or rounder numbers."""
    count = arguments["max_iterations"]
    for fewer_steps in sorted({1, count // 2, count - 1} - {0, count}):
        yield {**arguments, "max_iterations": fewer_steps}
    yield from _without_start(arguments)
    d = arguments["X"].shape[1]
    yield from (one for one in ranking_svm.samples(arguments) if one["X"].shape[1] == d)
    yield from _fewer_features(arguments)
    yield from rounder(arguments, ("weights", "epsilon", "step_size"))


def tiny_steps(rng, arguments):
    """Yields tiny instances of fit_direct_loss, the smallest first, of the same dtypes."""
    for tiny in ranking_svm.tiny_samples(rng, arguments):
        start = {"weights": rng.integers(-1, 2, size=tiny["X"].shape[1]).astype(float)}
        yield {**tiny, **(start if arguments.get("weights") is not None else {})}


def windows(arguments):
    """Yields instances of fit_latent_ranking_svm with fewer rounds, bags, windows or features, or rounder numbers."""
    for fewer_rounds in sorted({1, arguments["max_rounds"] // 2} - {0, arguments["max_rounds"]}):
        yield {**arguments, "max_rounds": fewer_rounds}
    yield from _without_start(arguments)
    bags = arguments["bags"]
    for number in np.unique(bags)[::-1]:
        yield from _kept(arguments, bags != number)
    for rows in fewer(len(bags)):
        yield from _kept(arguments, np.isin(np.arange(len(bags)), rows))
    yield from _fewer_features(arguments)
    yield from rounder(arguments, ("X", "weights", "regularization"))


def tiny_windows(rng, arguments):
    """Yields tiny instances of fit_latent_ranking_svm, the smallest first, of the same dtypes."""
    for sizes in [(1, 1)] * 4 + [(2, 1)] * 12 + [(2, 1, 1), (2, 2), (2, 2, 1)] * 8:
        d, positive = int(rng.integers(1, 3)), len(sizes) - 1
        X = rng.integers(-1, 3, size=(sum(sizes), d)).astype(arguments["X"].dtype)
        relevant = np.repeat(np.arange(len(sizes)) < positive, sizes)
        start = {"weights": np.ones(d)} if arguments.get("weights") is not None else {}
        yield {**arguments, "X": X, "bags": np.repeat(np.arange(len(sizes)), sizes), "relevant": relevant, **start}


def _without_start(arguments):
    if "weights" in arguments:
        yield {name: value for name, value in arguments.items() if name != "weights"}


def _fewer_features(arguments):
    start = arguments.get("weights")
    for columns in fewer(arguments["X"].shape[1]):
        kept = {} if start is None else {"weights": start[columns].copy()}
        yield {**arguments, "X": arguments["X"][:, columns].copy(), **kept}


def _kept(arguments, rows):
    """Yields the instance with these windows if both classes remain."""
    flags = arguments["relevant"][rows].astype(bool)
    if rows.any() and not rows.all() and flags.any() and not flags.all():
        yield {name: value[rows].copy() if name in BY_WINDOW else value for name, value in arguments.items()}
