"""The same functions as `reference`, in Numba: the same names, arguments and answers, at the speed of compiled code."""

from fast import losses, passive_aggressive, projections, topk_svm
from fast.losses import topk_error, topk_hinge
from fast.passive_aggressive import fit_passive_aggressive, multiclass_update, squish_column
from fast.projections import (
    project_capped_simplex,
    project_knapsack,
    project_simplex,
    project_topk_cone,
    project_topk_simplex,
)
from fast.topk_svm import fit_topk_svm, fit_topk_svm_kernel
from reference.contract import PassiveAggressiveFit, TopKSVMFit

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
    "squish_column",
    "multiclass_update",
    "fit_passive_aggressive",
    "TopKSVMFit",
    "PassiveAggressiveFit",
    "projections",
    "losses",
    "topk_svm",
    "passive_aggressive",
]
