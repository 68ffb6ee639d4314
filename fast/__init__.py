"""The same functions as `reference`, in Numba: the same names, arguments and answers, at the speed of compiled code."""

from fast import losses, projections, topk_svm
from fast.losses import topk_error, topk_hinge
from fast.projections import (
    project_capped_simplex,
    project_knapsack,
    project_simplex,
    project_topk_cone,
    project_topk_simplex,
)
from fast.topk_svm import fit_topk_svm, fit_topk_svm_kernel
from reference.contract import TopKSVMFit

__all__ = [
    "project_simplex",
    "project_knapsack",
    "project_capped_simplex",
    "project_topk_cone",
    "project_topk_simplex",
    "topk_error",
    "topk_hinge",
    "fit_topk_svm",
    "fit_topk_svm_kernel",
    "TopKSVMFit",
    "projections",
    "losses",
    "topk_svm",
]
