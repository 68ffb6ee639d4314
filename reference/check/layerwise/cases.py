"""Instances of networks and of their layer-wise training."""

import numpy as np

from ..judging.case import Case, replaced

NETWORKS = (
    ((), (3,)),
    ((("dense", 3),), (2,)),
    ((("dense", 3), ("dense", 2)), (2,)),
    ((("conv", 2, 2),), (3, 3)),
    ((("conv", 2, 2), ("pool", 2), ("dense", 2)), (5, 4)),
    ((("pool", 2), ("conv", 2, 1)), (4, 5, 2)),
)
LOSSES = ("multiclass", "zero_one", "ap", "ndcg", "auc")


def network_scores(rng, quick):
    """Yields instances of network_scores."""
    for layers, shape in NETWORKS:
        for n, outputs in ((1, 1), (4, 3)):
            X, weights = rng.normal(size=(n, *shape)), random_weights(rng, layers, shape, outputs)
            yield Case("random", {"X": X, "layers": list(layers), "weights": weights})
            whole = [np.round(part) for part in weights]
            yield Case("integers", {"X": rng.integers(-2, 3, size=X.shape), "layers": list(layers), "weights": whole})
    yield Case("float32", {"X": X.astype(np.float32), "layers": list(layers), "weights": weights})
    yield Case("Fortran order", {"X": np.asfortranarray(X), "layers": list(layers), "weights": weights})
    layers, shape = [("conv", 4, 5), ("pool", 2), ("conv", 3, 3), ("dense", 8)], (20, 20, 2)
    X, weights = rng.normal(size=(10, *shape)), random_weights(rng, layers, shape, 5)
    yield Case("random, timed", {"X": X, "layers": layers, "weights": weights}, timed=True)
    X, layers, weights = np.ones((2, 3)), [("dense", 2)], [np.ones((4, 2)), np.ones((3, 1))]
    wrong = {
        "X": (np.array([[0.0, np.nan, 0.0]]), np.zeros(3), np.zeros((0, 3))),
        "layers": ("dense", [("dense", 0)], [("pool", 2)], [("lstm", 2)], [("dense", 2, 2)]),
        "weights": ([], [np.ones((3, 2)), np.ones((3, 1))], [np.ones((4, 2)), np.full((3, 1), np.inf)], 1.0),
    }
    yield from replaced({"X": X, "layers": layers, "weights": weights}, wrong)


def fit_layerwise(rng, quick):
    """Yields instances of fit_layerwise, all small: CVXPY knows the minimum of the first update."""
    for i, (layers, shape) in enumerate(NETWORKS[1:2] + NETWORKS[:1] + NETWORKS[2:]):
        for loss in LOSSES[i % 3 :: 3] if quick else LOSSES:
            X, y = _examples(rng, 5, shape, loss)
            yield Case("random", {"X": X, "y": y, "layers": list(layers), **_options(loss=loss)})
    for loss in LOSSES[: 3 if quick else 5]:
        X, y = _examples(rng, 6, (2,), loss)
        weights = random_weights(rng, NETWORKS[1][0], (2,), 3 if loss == "multiclass" else 1)
        arguments = {"X": X, "y": y, "layers": [("dense", 3)], **_options(loss=loss)}
        yield Case("weights to start from", {**arguments, "weights": weights})
        yield Case("near the weights before", {**arguments, "proximity": 0.5, "max_rounds": 3})
        yield Case("strong regularization", {**arguments, "regularization": 10.0})
        yield Case("float32", {**arguments, "X": X.astype(np.float32)})
        short = _options(loss=loss, regularization=1e-3, tol=1e-9, max_epochs=2, max_rounds=1, seed=3)
        yield Case("two epochs", {**arguments, **short}, warns="ConvergenceWarning")
    for loss in LOSSES[1 :: 2 if quick else 1]:
        X, y = _examples(rng, 8, (2,), loss)
        grouped = _options(loss=loss, groups=np.array([0, 0, 1, 1, 1, 0, 1, 0]))
        y = np.array([True, False, True, False, False, True, True, False])
        yield Case("two groups", {"X": X, "y": y, "layers": [("dense", 2)], **grouped})
        yield Case("greedy", {"X": X, "y": y, "layers": [("dense", 2)], **grouped, "method": "greedy"})
    X, y = _examples(rng, 30, (6,), "ap")
    for loss in ("zero_one", "ap"):
        options = _options(loss=loss, max_rounds=2)
        yield Case("random, timed", {"X": X, "y": y, "layers": [("dense", 8)], **options}, timed=True)
    X, y = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.2], [0.5, -1.0]]), np.array([True, True, False, False])
    right = _options(loss="zero_one", regularization=1e-3)
    yield Case("all examples right", {"X": X, "y": y, "layers": [], **right})
    X, y = _examples(rng, 6, (2,), "ap")
    few, classes = _examples(np.random.default_rng(0), 5, (2,), "multiclass")
    exact = _options(loss="multiclass", regularization=1.0, tol=1e-6)
    yield Case("small tolerance", {"X": few, "y": classes, "layers": [], **exact})
    deep = [("dense", 1)] * 17
    weights = [np.abs(W) for W in random_weights(rng, deep, (2,), 1)]
    once = _options(loss="zero_one", max_rounds=1)
    yield Case("eighteen layers", {"X": np.abs(X), "y": y, "layers": deep, "weights": weights, **once})
    yield Case("rounds that settle", {"X": X, "y": y, "layers": [], **_options(max_rounds=6)})
    yield from _refused(rng)


def random_weights(rng, layers, shape, outputs):
    """Returns weights of a network, with intercepts."""
    found = []
    for layer in (*layers, ("dense", outputs)):
        if layer[0] == "dense":
            found.append(rng.normal(size=(int(np.prod(shape)) + 1, layer[1])))
            shape = (layer[1],)
            continue
        height, width, channels = (*shape, 1)[:3]
        if layer[0] == "pool":
            shape = (height // layer[1], width // layer[1], channels)
        else:
            found.append(rng.normal(size=(layer[2] ** 2 * channels + 1, layer[1])))
            shape = (height - layer[2] + 1, width - layer[2] + 1, layer[1])
    return found


def _examples(rng, n, shape, loss):
    X, y = rng.normal(size=(n, *shape)), rng.permutation(np.arange(n) % 3)
    return X, y if loss == "multiclass" else y == 0


def _options(**options):
    return {"loss": "ap", "regularization": 0.1, "tol": 0.03, "max_epochs": 3000, "max_rounds": 2, **options}


def _refused(rng):
    X, y = rng.normal(size=(5, 2)), np.array([True, False, True, False, False])
    right = {"X": X, "y": y, "layers": [("dense", 2)], **_options()}
    wrong = {
        "X": (np.full((5, 2), np.nan), np.zeros(5)),
        "y": (y[:-1], np.zeros(5, bool), np.arange(5)),
        "layers": ([("dense", 0)], [("conv", 2, 2)], "dense"),
        "loss": ("hinge", None),
        "groups": (np.zeros(4, int),),
        "regularization": (0.0, np.nan),
        "proximity": (-1.0,),
        "tol": (-1.0,),
        "max_epochs": (0,),
        "max_rounds": (0, 1.5),
        "weights": ([np.ones((3, 2))], [np.ones((3, 2)), np.full((3, 1), np.nan)]),
        "method": ("sort",),
    }
    yield from replaced(right, wrong)
