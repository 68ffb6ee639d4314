"""Layer-wise training of piecewise linear networks by structured SVMs.

The modules::

    fitting    the rounds over the layers              _bounds        bounds of all outputs, convex in one layer
    scoring    the scores of a network                 _hinges        the hinge of a block of examples
    _network   dense, convolutional, pooling layers    _frank_wolfe   block-coordinate Frank-Wolfe with a duality gap

Source: Paper (Berrada, Zisserman, Kumar: Trusting SVM for Piecewise Linear CNNs, 2017); Paper 002 (Mohapatra et al.:
Efficient Optimization for Rank-based Loss Functions, 2018), section 4.3.
"""

from .fitting import fit_layerwise
from .scoring import network_scores

__all__ = ["fit_layerwise", "network_scores"]
