"""The papers, readable: NumPy only, line by line, the text to study. `fast` has the same names, only faster.

`reference.ground_truth` (slow and obviously right) and `reference.check` (the examiner) are imported by name only, so
that `import reference` stays light.
"""

from reference import datasets, losses, projections, topk_svm
from reference.contract import TopKSVMFit
from reference.losses import topk_error, topk_hinge
from reference.projections import (
    project_capped_simplex,
    project_knapsack,
    project_simplex,
    project_topk_cone,
    project_topk_simplex,
)
from reference.topk_svm import fit_topk_svm, fit_topk_svm_kernel

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
    "datasets",
]
