"""Layer-wise training of piecewise linear networks by structured SVMs (Berrada, Zisserman and Kumar 2017; 002).

fitting        the rounds over the layers            _bounds        bounds of all outputs, convex in one layer
scoring        the scores of a network               _hinges        the hinge of a block of examples
_network       dense, convolutional, pooling layers  _frank_wolfe   block-coordinate Frank-Wolfe with a duality gap
"""

from .fitting import fit_layerwise
from .scoring import network_scores

__all__ = ["fit_layerwise", "network_scores"]
