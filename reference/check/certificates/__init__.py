"""Certificates: functions of a problem and an answer. They return a number that is zero only at the optimum.

For a fit of a convex problem, the number is an upper bound of its relative suboptimality, rounding included. No
certificate calls a solver. A certificate has the name of the public function. Its arguments are the answer, then the
arguments of that function.

The certificate of a projection tests the optimality conditions. If x = clip(a - t, 0, u) for some threshold t, and the
multiplier of the sum has the right sign, then x is optimal. The certificate reads t off the answer, in O(d). The number
is relative to the size of the point or of the answer. It is inf for a wrong shape, for NaN and for infinities.
"""

from .layerwise import fit_layerwise, network_scores
from .online import multiclass_update, squish_column
from .ranking import interleaving_ranks, loss_augmented_inference

__all__ = [
    "network_scores",
    "fit_layerwise",
    "squish_column",
    "multiclass_update",
    "interleaving_ranks",
    "loss_augmented_inference",
]
