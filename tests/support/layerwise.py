"""What the tests of layer-wise training share."""

import numpy as np
import pytest

from reference.problems import layerwise as problems

LOSSES = ("multiclass", "zero_one", "ap", "ndcg")
EACH_LOSS = pytest.mark.parametrize("loss", LOSSES)
# Hidden layers, and the shape of an example.
NETWORKS = {
    "no hidden layer": ([], (3,)),
    "one": ([("dense", 4)], (3,)),
    "two": ([("dense", 3), ("dense", 2)], (2,)),
    "convolution": ([("conv", 2, 2)], (4, 3)),
    "pooling": ([("conv", 2, 2), ("pool", 2), ("dense", 2)], (5, 5)),
    "pixels pooled": ([("pool", 2), ("conv", 1, 1), ("conv", 2, 2)], (4, 6, 2)),
}
EACH_NETWORK = pytest.mark.parametrize("network", NETWORKS)


def instance(network="one", loss="multiclass", n=8, seed=0, groups=False):
    """(X, y, layers, options): random examples and, for a ranking, flags in one group or in two."""
    rng = np.random.default_rng(seed)
    layers, shape = NETWORKS[network]
    X = rng.normal(size=(n, *shape))
    if loss == "multiclass":
        return X, rng.permutation(np.arange(n) % 3), layers, {"loss": loss}
    y = rng.permutation(np.arange(n) % 3 == 0)
    y[:4] = True, False, False, True
    y[-2:] = True, False
    return X, y, layers, {"loss": loss, "groups": (np.arange(n) >= n // 2).astype(int) if groups else None}


def random_weights(X, y, layers, loss, seed=0):
    """Weights of a network for these examples."""
    problem = problems.fit_layerwise(X, y, layers, loss=loss, regularization=1.0, seed=seed)
    return [part + 0.3 * problem.generator.normal(size=part.shape) for part in problem.weights], problem
