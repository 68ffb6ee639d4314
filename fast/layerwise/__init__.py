"""Layer-wise training of piecewise linear networks by structured SVMs. `reference.layerwise` explains it.

fitting    the rounds over the layers       _tail      compiled passes through the layers after the trained one
scoring    the scores of a network          _examples  block-coordinate Frank-Wolfe, a block for each example
_network   tables and products of layers    _rankings  the same with a block for each ranking, which keeps its planes
"""

from .fitting import fit_layerwise
from .scoring import network_scores

__all__ = ["fit_layerwise", "network_scores"]
