"""Certificates: functions of a problem and an answer. They return a number that is zero only at the optimum.

For a fit of a convex problem, the number is an upper bound of its relative suboptimality, rounding included. No
certificate calls a solver. A certificate has the name of the public function. Its arguments are the answer, then the
arguments of that function.

The certificate of a projection tests the optimality conditions. If x = clip(a - t, 0, u) for some threshold t, and the
multiplier of the sum has the right sign, then x is optimal. The certificate reads t off the answer, in O(d). The number
is relative to the size of the point or of the answer. It is inf for a wrong shape, for NaN and for infinities.
"""

from .entropy import fit_topk_entropy, fit_topk_entropy_kernel, fit_truncated_topk_entropy, truncated_primal
from .layerwise import fit_layerwise, network_scores
from .multilabel import (
    fit_multilabel,
    multilabel_entropy,
    multilabel_entropy_gradient,
    multilabel_error,
    multilabel_hinge,
    multilabel_hinge_gradient,
)
from .online import multiclass_update, squish_column
from .projections import (
    project_bipartite_simplex,
    project_capped_simplex,
    project_knapsack,
    project_simplex,
    project_topk_cone,
    project_topk_simplex,
)
from .ranking import interleaving_ranks, loss_augmented_inference
from .svm import fit_topk_svm, fit_topk_svm_kernel, fit_topk_svm_parts
from .wsabie import (
    class_confusion_loss,
    concatenate_fits,
    fit_nearest_means,
    pairwise_loss,
    prototype_scores,
    warp_loss,
    wsabie_step,
)

__all__ = [
    "project_simplex",
    "project_knapsack",
    "project_capped_simplex",
    "project_topk_cone",
    "project_topk_simplex",
    "fit_topk_svm",
    "fit_topk_svm_kernel",
    "fit_topk_svm_parts",
    "project_bipartite_simplex",
    "multilabel_error",
    "multilabel_hinge",
    "multilabel_hinge_gradient",
    "multilabel_entropy",
    "multilabel_entropy_gradient",
    "fit_multilabel",
    "network_scores",
    "fit_layerwise",
    "fit_topk_entropy",
    "fit_topk_entropy_kernel",
    "fit_truncated_topk_entropy",
    "truncated_primal",
    "squish_column",
    "multiclass_update",
    "interleaving_ranks",
    "loss_augmented_inference",
    "prototype_scores",
    "concatenate_fits",
    "fit_nearest_means",
    "wsabie_step",
    "class_confusion_loss",
    "pairwise_loss",
    "warp_loss",
]
