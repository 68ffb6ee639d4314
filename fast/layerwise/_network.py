"""The layers as tables of indices, and the pass forward through a network, as products of matrices."""

from typing import NamedTuple

import numpy as np

NUMBERS = 2**21  # of the patches that are in memory at the same time, 16 MB


class Stage(NamedTuple):
    """A layer with its table, and whether a ReLU follows."""

    kind: str
    table: np.ndarray  # (positions, inputs), or (outputs, window) of pooling
    weights: int  # the number of its weights; for pooling, that of the next layer
    has_relu: bool
    before: int
    after: int


def stages_of(layers):
    """Returns the Stages of the Layers."""
    stages, count = [], 0
    for number, layer in enumerate(layers):
        has_relu = layer.kind != "pool" and number < len(layers) - 1
        sizes = int(np.prod(layer.before)), int(np.prod(layer.after))
        stages.append(Stage(layer.kind, _table(layer), count, has_relu, *sizes))
        count += layer.kind != "pool"
    return stages


def _table(layer):
    """Returns the indices that each output position reads; row, column and channel of a window vary in this order."""
    if layer.kind == "dense":
        return np.arange(int(np.prod(layer.before)))[None]
    _, width, channels = layer.before
    s, stride = layer.size, 1 if layer.kind == "conv" else layer.size
    down, right = np.arange(layer.after[0])[:, None] * stride, np.arange(layer.after[1]) * stride
    corners = (down * width + right).ravel() * channels
    inside = (np.arange(s)[:, None] * width + np.arange(s)).ravel() * channels
    if layer.kind == "conv":
        return corners[:, None] + (inside[:, None] + np.arange(channels)).ravel()
    return (corners[:, None] + np.arange(channels)).ravel()[:, None] + inside


def patches(stage, z):
    """Returns the patches (n * positions, inputs + 1) of a layer, with a last entry 1."""
    n, (positions, inputs) = len(z), stage.table.shape
    found = np.empty((n * positions, inputs + 1))
    found[:, -1] = 1
    found[:, :-1] = z if stage.kind == "dense" else z[:, stage.table].reshape(-1, inputs)
    return found


def forward(stage, weights, z):
    """Returns the outputs of a layer, after its ReLU if it has one."""
    if stage.kind == "pool":
        return z[:, stage.table].max(axis=2)
    out, W = np.empty((len(z), stage.after)), weights[stage.weights]
    rows = max(1, NUMBERS // stage.table.size)
    for first in range(0, len(z), rows):
        here = z[first : first + rows]
        block = here if stage.kind == "dense" else here[:, stage.table].reshape(-1, stage.table.shape[1])
        out[first : first + rows] = (block @ W[:-1] + W[-1]).reshape(len(here), -1)
    return np.maximum(out, 0, out=out) if stage.has_relu else out


def scores_of(stages, weights, z):
    """Returns the outputs (n, m) of the network."""
    for stage in stages:
        z = forward(stage, weights, z)
    return z
