"""Networks trained layer by layer. Beside this: `cases`, `conditions` of a right answer, its `truth`, and `bounds`."""

from functools import partial

import numpy as np

from ..judging.spec import Spec
from .cases import random_weights

Layerwise = partial(Spec, family=__name__, leading=3)
TRAINING = {"X": "n *", "y": "n of m", "groups": "n of g", "regularization": "number", "proximity": "number"}
FIT = {"weights": "arrays", "objectives": "any", "gap": "number", "trail": "arrays", "history": "any"}
TINY = ((), (1,)), ((("dense", 1),), (1,)), ((("pool", 2),), (2, 2)), ((("conv", 1, 2),), (2, 2))  # the plainest first


def scores(problem):
    """Returns the axes of the scores: a column of the last weights for each output."""
    return {"scores": f"n {problem.weights[-1].shape[1]}"}


def whole_weights(arguments):
    """Yields the network with whole weights: the weights are arrays in a list, and have no axes."""
    whole = [np.round(part) for part in arguments["weights"]]
    if any((part != other).any() for part, other in zip(whole, arguments["weights"], strict=True)):
        yield {**arguments, "weights": whole}


def tiny_network(rng, sizes, arguments):
    """One example and a network of one output, whose layers fit it, with whole numbers."""
    layers, shape = TINY[sizes["main"] - 1]
    X = rng.integers(-2, 3, size=(1, *shape)).astype(arguments["X"].dtype)
    weights = [rng.integers(-2, 3, size=W.shape).astype(float) for W in random_weights(rng, layers, shape, 1)]
    return {"X": X, "layers": list(layers), "weights": weights}


def one_round(arguments):
    """Yields the fit of one round."""
    if arguments["max_rounds"] > 1:
        yield {**arguments, "max_rounds": 1}


def tiny_training(rng, sizes, arguments):
    """Examples of two classes and whole numbers, a layer of two units that fits them, one round, and no start."""
    n, d = sizes["main"] + 1, int(rng.integers(1, 3))
    X, y = rng.integers(-2, 3, size=(n, d)).astype(arguments["X"].dtype), rng.permutation(np.arange(n) % 2)
    y = y if arguments.get("loss", "multiclass") == "multiclass" else y == 1
    same = {name: arguments.get(name) for name in ("regularization", "proximity")}
    return same | {"X": X, "y": y, "layers": [("dense", 2)], "max_rounds": 1, "weights": None, "groups": None}


SPECS = [
    Layerwise(
        "network_scores", arguments={"X": "n *"}, answer=scores, simpler=whole_weights, tiny=tiny_network,
        place="Berrada, Zisserman and Kumar 2017, section 2, piecewise linear networks",
    ),
    Layerwise(
        "fit_layerwise", arguments=TRAINING, answer=FIT, needs=("objectives", "trail"),
        place="Berrada, Zisserman and Kumar 2017, with tighter bounds; 002, section 4.3",
        simpler=one_round, tiny=tiny_training,
    ),
]  # fmt: skip
