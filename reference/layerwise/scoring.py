"""The scores of a piecewise linear network."""

from __future__ import annotations

from ..problems import checks
from ..problems import layerwise as problems
from ..problems.checks.types import Array, Floats
from ._network import scores_of, steps_of


@checks.documented_by(problems.network_scores)
def network_scores(X: Array, layers: list[tuple], weights: list[Array]) -> Floats:
    """Returns the outputs of a network of dense, convolutional and max-pooling layers with ReLU between them.

    Notes
    -----
    A convolution of size s is the inner product with every s x s window (no padding, stride 1, no reflection of the
    kernel). Pooling takes maxima of windows that do not overlap. The images are cut into windows (im2col), so that each
    layer is one product of matrices.
    """
    X, weights, inputs, network = problems.network_scores(X, layers, weights)
    return checks.in_range(scores_of(steps_of(network), weights, inputs), X.dtype, "weights")
