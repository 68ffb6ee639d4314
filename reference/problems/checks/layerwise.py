"""Checks for layer-wise training: the layers of a network, their shapes and weights, and the options of a fit."""

from typing import NamedTuple

import numpy as np

from .arguments import brief, choice, count, finite_array, nonnegative, positive, real_array, training_labels
from .ranking import sorted_groups

LAYERWISE_LOSSES = ("multiclass", "zero_one", "ap", "ndcg", "auc")
RANKED = ("ap", "ndcg", "auc")
KINDS_OF_LAYERS = {"dense": 1, "conv": 2, "pool": 1}  # and how many numbers follow the name
METHODS_OF_INFERENCE = ("quicksort", "greedy")


class Layer(NamedTuple):
    """One layer with its shapes, (features,) or (height, width, channels)."""

    kind: str  # "dense", "conv" or "pool"
    before: tuple
    after: tuple
    size: int  # of the window; 1 if dense

    @property
    def weights_shape(self):
        """Returns (inputs + 1, units), or None for a layer without weights. The last row is the intercept."""
        inputs = {"dense": int(np.prod(self.before)), "conv": self.size**2 * self.before[-1], "pool": 0}[self.kind]
        return (inputs + 1, self.after[-1]) if inputs else None


class LayerwiseProblem(NamedTuple):
    """The checked arguments of `fit_layerwise`. Block g of the loss has the examples rows[starts[g]:starts[g + 1]]."""

    X: np.ndarray  # (n, inputs) float64
    y: np.ndarray  # (n,) labels, or flags
    dtype: np.dtype
    layers: tuple
    loss: str
    rows: np.ndarray
    starts: np.ndarray
    shares: np.ndarray  # (blocks,), of each block in the mean loss
    regularization: float
    proximity: float
    tol: float
    max_epochs: int
    max_rounds: int
    method: str


def images(X):
    """Returns (X as (n, inputs) float64, the shape of one example, the dtype of the answer)."""
    X = finite_array(real_array(X, "X", (2, 3, 4)), "X")
    shape = X.shape[1:] if X.ndim != 3 else (*X.shape[1:], 1)
    return np.ascontiguousarray(X.reshape(len(X), -1), dtype=np.float64), shape, X.dtype


def network_layers(layers, shape, outputs):
    """Returns the Layers, the last of which is the dense output layer."""
    if not isinstance(layers, (list, tuple)):
        raise ValueError(f"layers must be a list of tuples such as ('dense', 16), got {brief(layers)}")
    found = []
    for layer in (*layers, ("dense", outputs)):
        found.append(_layer(layer, found[-1].after if found else tuple(shape)))
    return tuple(found)


def network_weights(weights, layers=None):
    """Returns the weights of the layers that have any, as float64 copies."""
    if not isinstance(weights, (list, tuple)):
        raise ValueError(f"weights must be a list of arrays, one a layer with weights, got {brief(weights)}")
    arrays = [finite_array(real_array(part, "weights", (2,)), "weights") for part in weights]
    expected = [layer.weights_shape for layer in layers or () if layer.weights_shape]
    if layers and [part.shape for part in arrays] != expected:
        raise ValueError(f"weights must have shapes {expected}, got {[part.shape for part in arrays]}")
    return [part.astype(np.float64) for part in arrays]


def layerwise_problem(
    X, y, layers, loss, groups, regularization, proximity, tol, max_epochs, max_rounds, method
):  # fmt: skip
    """Returns the LayerwiseProblem."""
    X, shape, dtype = images(X)
    loss = choice(loss, "loss", LAYERWISE_LOSSES)
    if loss == "multiclass":
        if groups is not None:
            raise ValueError("groups must be None for the loss 'multiclass', got an array")
        y, outputs = training_labels(y, len(X))
        rows, starts, shares = np.arange(len(X)), np.arange(len(X) + 1), np.full(len(X), 1 / len(X))
    else:
        try:
            _, y, rows, starts = sorted_groups(X, y, groups)
        except ValueError as error:
            raise ValueError(str(error).replace("relevant", "y", 1)) from None
        outputs, sizes = 1, np.diff(starts)
        shares = np.full(len(sizes), 1 / len(sizes))
        if loss == "zero_one":
            shares, starts = np.repeat(shares / sizes, sizes), np.arange(len(rows) + 1)
    return LayerwiseProblem(
        X, y, dtype, network_layers(layers, shape, outputs), loss, rows, starts, shares,
        positive(regularization, "regularization"), nonnegative(proximity, "proximity"), nonnegative(tol, "tol"),
        count(max_epochs, "max_epochs"), count(max_rounds, "max_rounds"),
        choice(method, "method", METHODS_OF_INFERENCE),
    )  # fmt: skip


def layerwise_start(weights, problem, seed):
    """Returns (the weights to start from, the generator of the visiting orders).

    Without weights, each entry is normal with variance 2 / inputs, and the intercepts are 0.
    """
    try:
        generator = np.random.default_rng(seed)
    except (TypeError, ValueError):
        raise ValueError(f"seed must be an integer >= 0, got {seed!r}") from None
    if weights is not None:
        given = network_weights(weights, problem.layers)
        return [part.astype(problem.dtype).astype(np.float64) for part in given], generator
    drawn = []
    for layer in problem.layers:
        if layer.weights_shape:
            inputs, units = layer.weights_shape[0] - 1, layer.weights_shape[1]
            part = np.vstack([generator.standard_normal((inputs, units)) * np.sqrt(2 / inputs), np.zeros(units)])
            drawn.append(part.astype(problem.dtype).astype(np.float64))
    return drawn, generator


def layerwise_history(records):
    """Returns the history of a fit as a record array, from one tuple an update."""
    whole, real = ("layer", "epochs", "inferences"), ("objective", "primal", "dual", "gap", "seconds")
    return np.rec.array(records, dtype=[(name, np.int64) for name in whole] + [(name, np.float64) for name in real])


def _layer(layer, before):
    """Returns the Layer that follows outputs of the shape `before`."""
    known = ", ".join(map(repr, KINDS_OF_LAYERS))
    if not isinstance(layer, (list, tuple)) or not layer or layer[0] not in tuple(KINDS_OF_LAYERS):
        raise ValueError(f"layers must be tuples that begin with one of {known}, got {brief(layer)}")
    kind, *numbers = layer
    if len(numbers) != KINDS_OF_LAYERS[kind]:
        raise ValueError(f"layers must be ('dense', units), ('conv', channels, size) or ('pool', size), got {layer!r}")
    numbers = [count(number, "layers") for number in numbers]
    if kind == "dense":
        return Layer(kind, before, (numbers[0],), 1)
    size = numbers[-1]
    if len(before) != 3 or size > min(before[:2]):
        raise ValueError(f"layers must fit their input: {layer!r} follows outputs of shape {before}")
    height, width, channels = before
    if kind == "conv":
        return Layer(kind, before, (height - size + 1, width - size + 1, numbers[0]), size)
    return Layer(kind, before, (height // size, width // size, channels), size)
