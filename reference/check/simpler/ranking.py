"""Simpler and tiny instances of scores of two classes, and of interleavings."""

import numpy as np

from ..judging.simplify import fewer, rounder, unit_of

CLASSES = ("positive_scores", "negative_scores")


def scores(arguments):
    """Yields instances with fewer positives, fewer negatives or rounder scores. A negative keeps its rank."""
    p, n = (arguments[name] for name in CLASSES)
    ranks = arguments.get("interleaving")
    for kept in fewer(len(n)):
        with_them = {} if ranks is None else {"interleaving": ranks[kept].copy()}
        yield {**arguments, "negative_scores": n[kept].copy(), **with_them}
    for kept in fewer(len(p)):
        with_them = {} if ranks is None else {"interleaving": np.minimum(ranks, len(kept) + 1).astype(ranks.dtype)}
        yield {**arguments, "positive_scores": p[kept].copy(), **with_them}
    yield from rounder(arguments, CLASSES)


def interleaving(arguments):
    """Yields instances of a loss with fewer negatives or fewer positives."""
    ranks, P = arguments["interleaving"], arguments["n_positive"]
    for kept in fewer(len(ranks)):
        yield {**arguments, "interleaving": ranks[kept].copy()}
    for fewer_positives in {P // 2, P - 1} - {0}:
        clipped = np.minimum(ranks, fewer_positives + 1).astype(ranks.dtype)
        yield {**arguments, "interleaving": clipped, "n_positive": fewer_positives}


def tiny_scores(rng, arguments):
    """Yields tiny instances, the smallest first, of the same dtypes and scale: whole numbers or quarters."""
    unit = unit_of(np.concatenate([arguments[name] for name in CLASSES]))
    for samples in np.repeat((2, 3, 4, 5), (8, 24, 24, 24)):
        P, quarters = int(rng.integers(1, samples)), (1, 4)[int(rng.integers(2))]
        tiny = {}
        for name, size in zip(CLASSES, (P, samples - P), strict=True):
            tiny[name] = (unit * rng.integers(-2 * quarters, 2 * quarters + 1, size=size) / quarters).astype(
                arguments[name].dtype
            )
        if "interleaving" in arguments:
            tiny["interleaving"] = rng.integers(1, P + 2, size=samples - P)
        yield {**arguments, **tiny}


def tiny_interleavings(rng, arguments):
    """Yields tiny instances of a loss, the smallest first."""
    for samples in np.repeat((2, 3, 4, 5), (4, 8, 12, 12)):
        P = int(rng.integers(1, samples))
        ranks = rng.integers(1, P + 2, size=samples - P).astype(arguments["interleaving"].dtype)
        yield {**arguments, "interleaving": ranks, "n_positive": P}
