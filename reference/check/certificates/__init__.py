"""Certificates: a problem and an answer go in, a number comes out that is zero only at the optimum. No solver is asked.

Every function has the name and the arguments of the public function whose answer it certifies, after the answer itself.
A projection is certified by its optimality conditions: any threshold t under which x = clip(a - t, 0, u) and the
multiplier of the sum has its sign proves x optimal, so t is read off the answer, in O(d). The number is relative to the
size of the point or of the answer. A wrong shape, NaN or an infinity gives inf.
"""

from .online import multiclass_update, squish_column
from .projections import (
    project_capped_simplex,
    project_knapsack,
    project_simplex,
    project_topk_cone,
    project_topk_simplex,
)
from .ranking import interleaving_ranks, loss_augmented_inference
from .svm import fit_topk_svm, fit_topk_svm_kernel
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
