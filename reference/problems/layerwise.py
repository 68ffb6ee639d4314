"""The statements of `reference.layerwise`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from . import checks
from .checks.types import Array, Floats, Integers

__all__ = ["fit_layerwise", "network_scores"]

LOSSES = ("multiclass", "zero_one", "ap", "ndcg", "auc")
RANKED = ("ap", "ndcg", "auc")
KINDS = {"dense": 1, "conv": 2, "pool": 1}  # and how many numbers follow the name
METHODS = ("quicksort", "greedy")


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


class NetworkProblem(NamedTuple):
    """The checked arguments of `network_scores`."""

    X: Floats
    weights: list[Floats]  # float64 copies
    inputs: Floats  # (n, inputs) float64: X with one example a row
    network: tuple[Layer, ...]  # the last one is the dense output layer


class LayerwiseProblem(NamedTuple):
    """The checked arguments of `fit_layerwise`. Block g of the loss has the examples rows[starts[g]:starts[g + 1]]."""

    X: Floats
    y: Array  # (n,) labels, or flags
    weights: list[Floats]  # to start from, float64 copies of numbers in the dtype of X
    loss: str
    regularization: float
    proximity: float
    tol: float
    max_epochs: int
    max_rounds: int
    method: str
    inputs: Floats  # (n, inputs) float64: X with one example a row
    network: tuple[Layer, ...]  # the last one is the dense output layer
    rows: Integers
    starts: Integers
    shares: Floats  # (blocks,), of each block in the mean loss
    generator: np.random.Generator  # of the orders in which the blocks are visited


def fit_layerwise(
    X: Array, y: Array, layers: list[tuple], *, loss: str = "multiclass", groups: Array | None = None,
    regularization: float, proximity: float = 0.0, tol: float = 1e-2, max_epochs: int = 100, max_rounds: int = 10,
    weights: list[Array] | None = None, method: str = "quicksort", seed: int = 0, progress: bool = False,
) -> LayerwiseProblem:  # fmt: skip
    r"""Train a piecewise linear network by structured SVMs, one layer at a time, so that the objective never rises.

    .. math::

        \min_W \; \tfrac{\lambda}{2} \|W\|^2 + \text{mean hinge of the network's scores}

    Here :math:`\lambda` is `regularization`, and W are the weights of all layers. Each update solves a convex problem
    in one layer to a certified gap. The network as a whole need not reach a global minimum.

    Parameters
    ----------
    X : array, shape (n, d), (n, height, width) or (n, height, width, channels), float32 or float64
        One example a row, features or an image.
    y : int array, or bool array, shape (n,)
        The classes 0..m-1 for the loss "multiclass", which needs m outputs. For the others, which examples are
        positive; the network has one output.
    layers : list of tuples
        The hidden layers: ("dense", units), ("conv", channels, size) or ("pool", size). See `network_scores`.
    loss : {"multiclass", "zero_one", "ap", "ndcg", "auc"}
        "multiclass" is the hinge of Crammer and Singer, :math:`\max(0, 1 + \max_{j \ne y} s_j - s_y)`. "zero_one" is
        the hinge of each example, :math:`\max(0, 1 - s)` or :math:`\max(0, 1 + s)`. The others are the structured hinge
        of `fit_ranking_svm`, averaged over the groups.
    groups : int array, shape (n,), optional
        The number of each example's group. If not given, all examples are one group. None for "multiclass".
    regularization : float, > 0
        :math:`\lambda`, for the weights of all layers and the intercepts.
    proximity : float, >= 0
        :math:`\theta`. The convex problem of a layer has the further penalty
        :math:`\tfrac{\theta}{2} \|W - W_0\|^2` around its current weights :math:`W_0`.
    tol : float, >= 0
        The relative duality gap at which to stop an update, and the relative decrease at which to stop the rounds.
    max_epochs : int, >= 1
        The largest number of epochs of an update. One epoch visits each block of the loss once: an example, or a group.
    max_rounds : int, >= 1
        The largest number of rounds. A round updates each layer once, the first one first.
    weights : list of arrays, shapes (inputs + 1, units), optional
        Starting point, as in `network_scores`. Drawn from `seed` if not given. They are not changed.
    method : {"quicksort", "greedy"}
        The algorithm of `loss_augmented_inference`. For these losses it does not change the answer.
    seed : int
        Seed of the weights to start from, and of the order in which the blocks are visited.
    progress : bool
        Show a progress bar.

    Returns
    -------
    fit : LayerwiseFit
        weights; objectives (updates + 1,), which never rise; gap, the largest relative gap of an update; trail, the
        weights of the updated layer after each update; and history, with one record an update: (layer, epochs,
        inferences, objective, primal, dual, gap, seconds).

    Raises
    ------
    ValueError
        An argument is not as described above.

    Warns
    -----
    ConvergenceWarning
        An update stops with a gap above `tol`. The fit returned is valid, with its true gaps.
    UserWarning
        Some groups do not have both classes and are left out.

    References
    ----------
    * Paper (Berrada, Zisserman, Kumar: Trusting SVM for Piecewise Linear CNNs, 2017), here with tighter bounds.
    * Paper (Lacoste-Julien et al.: Block-Coordinate Frank-Wolfe Optimization for Structural SVMs, 2013).
    * Paper 002 (Mohapatra et al.: Efficient Optimization for Rank-based Loss Functions, 2018), section 4.3, for "ap"
      and "ndcg".

    Examples
    --------
    >>> X, y = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]]), np.array([0, 0, 1, 1])
    >>> fit = fit_layerwise(X, y, [("dense", 6)], regularization=1e-2, tol=0.05, max_epochs=1000)
    >>> print(f"{fit.objectives[0]:.2f} -> {fit.objectives[-1]:.2f}")
    1.23 -> 0.18
    """
    X, inputs, shape = _images(X)
    loss = checks.choice(loss, "loss", LOSSES)
    if loss == "multiclass":
        if groups is not None:
            raise ValueError("groups must be None for the loss 'multiclass', got an array")
        y, outputs = checks.training_labels(y, len(X))
        rows, starts, shares = np.arange(len(X)), np.arange(len(X) + 1), np.full(len(X), 1 / len(X))
    else:
        try:
            _, y, rows, starts = checks.sorted_groups(inputs, y, groups)
        except ValueError as error:
            raise ValueError(str(error).replace("relevant", "y", 1)) from None
        outputs, sizes = 1, np.diff(starts)
        shares = np.full(len(sizes), 1 / len(sizes))
        if loss == "zero_one":
            shares, starts = np.repeat(shares / sizes, sizes), np.arange(len(rows) + 1)
    network = _network(layers, shape, outputs)
    regularization, proximity = (
        checks.positive(regularization, "regularization"),
        checks.nonnegative(proximity, "proximity"),
    )
    tol, method = checks.nonnegative(tol, "tol"), checks.choice(method, "method", METHODS)
    max_epochs, max_rounds = checks.count(max_epochs, "max_epochs"), checks.count(max_rounds, "max_rounds")
    weights, generator = _start(weights, network, X.dtype, seed)
    checks.flag(progress, "progress")
    return LayerwiseProblem(
        X, y, weights, loss, regularization, proximity, tol, max_epochs, max_rounds, method,
        inputs, network, rows, starts, shares, generator,
    )  # fmt: skip


def network_scores(X: Array, layers: list[tuple], weights: list[Array]) -> NetworkProblem:
    """Returns the outputs of a network of dense, convolutional and max-pooling layers with ReLU between them.

    Parameters
    ----------
    X : array, shape (n, d), (n, height, width) or (n, height, width, channels), float32 or float64
        One example a row, features or an image.
    layers : list of tuples
        The hidden layers: ("dense", units), ("conv", channels, size) or ("pool", size). Each dense or convolutional
        layer ends with a ReLU, max(0, a). A dense output layer follows, without ReLU.
    weights : list of arrays, shapes (inputs + 1, units)
        One for each dense or convolutional layer and for the output layer. The last row is the intercept. The rows of a
        convolution are in the order of (row, column, channel) of its window.

    Returns
    -------
    scores : array, shape (n, outputs), dtype of `X`
        One row an example.

    Raises
    ------
    ValueError
        `X` is empty, not finite, or has another number of dimensions; `layers` do not fit the shape of an example;
        `weights` do not fit the layers.

    References
    ----------
    * Paper (Berrada, Zisserman, Kumar: Trusting SVM for Piecewise Linear CNNs, 2017), section 2.

    Examples
    --------
    >>> weights = [[[1.0, -1.0], [0.0, 0.0]], [[1.0], [1.0], [0.5]]]  # |x| + 0.5
    >>> network_scores([[2.0], [-3.0]], [("dense", 2)], weights)
    array([[2.5],
           [3.5]])
    """
    X, inputs, shape = _images(X)
    weights = _weights(weights)
    network = _network(layers, shape, weights[-1].shape[1] if weights else 1)
    return NetworkProblem(X, _fitting(weights, network), inputs, network)


def history_of(records):
    """Returns the history of a fit as a record array, from one tuple an update."""
    whole, real = ("layer", "epochs", "inferences"), ("objective", "primal", "dual", "gap", "seconds")
    return np.rec.array(records, dtype=[(name, np.int64) for name in whole] + [(name, np.float64) for name in real])


def _images(X):
    """Returns (X, X as (n, inputs) float64, the shape of one example)."""
    X = checks.finite_array(checks.real_array(X, "X", (2, 3, 4)), "X")
    shape = X.shape[1:] if X.ndim != 3 else (*X.shape[1:], 1)
    return X, np.ascontiguousarray(X.reshape(len(X), -1), dtype=np.float64), shape


def _network(layers, shape, outputs):
    """Returns the Layers, the last of which is the dense output layer."""
    if not isinstance(layers, (list, tuple)):
        raise ValueError(f"layers must be a list of tuples such as ('dense', 16), got {checks.brief(layers)}")
    found = []
    for layer in (*layers, ("dense", outputs)):
        found.append(_layer(layer, found[-1].after if found else tuple(shape)))
    return tuple(found)


def _weights(weights):
    """Returns the weights of the layers that have any, as float64 copies."""
    if not isinstance(weights, (list, tuple)):
        raise ValueError(f"weights must be a list of arrays, one a layer with weights, got {checks.brief(weights)}")
    arrays = [checks.finite_array(checks.real_array(part, "weights", (2,)), "weights") for part in weights]
    return [part.astype(np.float64) for part in arrays]


def _fitting(weights, network):
    """Returns the weights, if they have the shapes that the network needs."""
    expected = [layer.weights_shape for layer in network if layer.weights_shape]
    if [part.shape for part in weights] != expected:
        raise ValueError(f"weights must have shapes {expected}, got {[part.shape for part in weights]}")
    return weights


def _layer(layer, before):
    """Returns the Layer that follows outputs of the shape `before`."""
    known = ", ".join(map(repr, KINDS))
    if not isinstance(layer, (list, tuple)) or not layer or layer[0] not in tuple(KINDS):
        raise ValueError(f"layers must be tuples that begin with one of {known}, got {checks.brief(layer)}")
    kind, *numbers = layer
    if len(numbers) != KINDS[kind]:
        raise ValueError(f"layers must be ('dense', units), ('conv', channels, size) or ('pool', size), got {layer!r}")
    numbers = [checks.count(number, "layers") for number in numbers]
    if kind == "dense":
        return Layer(kind, before, (numbers[0],), 1)
    size = numbers[-1]
    if len(before) != 3 or size > min(before[:2]):
        raise ValueError(f"layers must fit their input: {layer!r} follows outputs of shape {before}")
    height, width, channels = before
    if kind == "conv":
        return Layer(kind, before, (height - size + 1, width - size + 1, numbers[0]), size)
    return Layer(kind, before, (height // size, width // size, channels), size)


def _start(weights, network, dtype, seed):
    """Returns (the weights to start from, the generator of the visiting orders).

    Without weights, each entry is normal with variance 2 / inputs, and the intercepts are 0.
    """
    try:
        generator = np.random.default_rng(seed)
    except (TypeError, ValueError):
        raise ValueError(f"seed must be an integer >= 0, got {seed!r}") from None
    if weights is not None:
        weights = _fitting(_weights(weights), network)
    else:
        shapes = [layer.weights_shape for layer in network if layer.weights_shape]
        drawn = [generator.standard_normal((rows - 1, units)) * np.sqrt(2 / (rows - 1)) for rows, units in shapes]
        weights = [np.vstack([part, np.zeros(part.shape[1])]) for part in drawn]
    return [part.astype(dtype).astype(np.float64) for part in weights], generator
