"""A network as a list of steps on the rows of a matrix: affine maps of patches, ReLU, and the maximum of windows.

An image is a row of height * width * channels numbers, the channels of a pixel next to each other. A table lists, for
each position of the window, the indices of the numbers in it. A dense layer has a single window, which is everything.
"""

from typing import NamedTuple

import numpy as np


class Step(NamedTuple):
    """An affine map, a ReLU, or a maximum."""

    kind: str  # "affine", "relu" or "max"
    table: np.ndarray | None  # (positions, window): what an affine map or a maximum reads
    weights: int | None  # the number of the weights of an affine map


def steps_of(layers):
    """Returns the Steps of the Layers. A ReLU follows each dense or convolutional layer except the last."""
    steps, count = [], 0
    for layer in layers:
        if layer.kind == "pool":
            steps.append(Step("max", pool_windows(layer), None))
        else:
            steps += [Step("affine", patches_of(layer), count), Step("relu", None, None)]
            count += 1
    return steps[:-1]


def patches_of(layer):
    """Returns the indices (positions, inputs) that each output position of a dense or convolutional layer reads."""
    index = np.arange(np.prod(layer.before)).reshape(layer.before)
    if layer.kind == "dense":
        return index.reshape(1, -1)
    windows = np.lib.stride_tricks.sliding_window_view(index, (layer.size, layer.size), axis=(0, 1))
    return windows.transpose(0, 1, 3, 4, 2).reshape(-1, layer.size**2 * layer.before[-1])


def pool_windows(layer):
    """Returns the indices (outputs, window) of each maximum. Rows and columns that fill no window are left out."""
    (height, width, channels), size = layer.after, layer.size
    index = np.arange(np.prod(layer.before)).reshape(layer.before)[: height * size, : width * size]
    windows = index.reshape(height, size, width, size, channels).transpose(0, 2, 4, 1, 3)
    return windows.reshape(-1, size**2)


def with_one(patches):
    """Returns the patches with a further entry 1, for the intercept."""
    return np.concatenate([patches, np.ones((*patches.shape[:-1], 1))], axis=-1)


def affine(z, table, weights):
    """Returns the outputs (n, positions * units) of an affine layer."""
    return (with_one(z[:, table]) @ weights).reshape(len(z), -1)


def apply(step, z, weights):
    """Returns the output of one step."""
    if step.kind == "affine":
        return affine(z, step.table, weights[step.weights])
    return np.maximum(z, 0) if step.kind == "relu" else z[:, step.table].max(axis=2)


def scores_of(steps, weights, z):
    """Returns the outputs (n, m) of the network."""
    for step in steps:
        z = apply(step, z, weights)
    return z
