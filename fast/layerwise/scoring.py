"""The scores of a piecewise linear network. `reference.layerwise` explains the layers."""

from __future__ import annotations

from reference.problems import checks
from reference.problems import layerwise as problems
from reference.problems.checks.types import Array, Floats

from ._network import scores_of, stages_of


@checks.documented_by(problems.network_scores)
def network_scores(X: Array, layers: list[tuple], weights: list[Array]) -> Floats:
    """Returns the outputs of a network of dense, convolutional and max-pooling layers with ReLU between them.

    Notes
    -----
    Each layer is one product of matrices, for so many images at a time that their windows fit into memory.
    """
    X, weights, inputs, network = problems.network_scores(X, layers, weights)
    return checks.in_range(scores_of(stages_of(network), weights, inputs), X.dtype, "weights")
