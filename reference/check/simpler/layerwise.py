"""Simpler and tiny instances of networks and of their training."""

import numpy as np

from ..judging.simplify import fewer, rounder


def scores(arguments):
    """Yields instances of network_scores with fewer examples or rounder numbers."""
    for rows in fewer(len(arguments["X"])):
        yield {**arguments, "X": arguments["X"][rows].copy()}
    yield from rounder(arguments, ("X",))
    whole = [np.round(part) for part in arguments["weights"]]
    if any((part != other).any() for part, other in zip(whole, arguments["weights"], strict=True)):
        yield {**arguments, "weights": whole}


def tiny_scores(rng, arguments):
    """Yields tiny instances of network_scores, the smallest first."""
    dtype = arguments["X"].dtype
    for layers, shape, inputs in ((), (1,), 1), ([("dense", 1)], (1,), 1), ([("conv", 1, 2)], (2, 2), 4):
        for _ in range(4):
            X = rng.integers(-2, 3, size=(1, *shape)).astype(dtype)
            parts = [rng.integers(-2, 3, size=(inputs + 1, 1)).astype(float)]
            parts += [rng.integers(-2, 3, size=(2, 1)).astype(float)] if layers else []
            yield {**arguments, "X": X, "layers": list(layers), "weights": parts}
    for _ in range(4):
        X, weights = rng.integers(-2, 3, size=(1, 2, 2)).astype(dtype), [np.array([[1.0], [0.0]])]
        yield {**arguments, "X": X, "layers": [("pool", 2)], "weights": weights}


def training_set(arguments):
    """Yields instances of fit_layerwise with fewer rounds or examples, without a start, or with rounder numbers."""
    if arguments.get("max_rounds", 2) > 1:
        yield {**arguments, "max_rounds": 1}
    if "weights" in arguments:
        yield {name: value for name, value in arguments.items() if name != "weights"}
    for rows in fewer(len(arguments["y"])):
        y, groups = arguments["y"][rows], arguments.get("groups")
        if len(np.unique(y)) > 1:
            of_rows = {} if groups is None else {"groups": groups[rows].copy()}
            yield {**arguments, "X": arguments["X"][rows].copy(), "y": y.copy(), **of_rows}
    yield from rounder(arguments, ("X", "regularization", "proximity"))


def tiny_training_sets(rng, arguments):
    """Yields tiny instances of fit_layerwise, the smallest first."""
    kept = {name: value for name, value in arguments.items() if name not in ("weights", "groups")}
    for n, d in np.repeat([(2, 1), (3, 1), (3, 2), (4, 2)], 5, axis=0):
        y = rng.permutation(np.arange(n) % 2)
        y = y if arguments.get("loss") == "multiclass" else y == 1
        X = rng.integers(-2, 3, size=(n, d)).astype(arguments["X"].dtype)
        yield {**kept, "X": X, "y": y, "layers": [("dense", 2)], "max_rounds": 1}
