"""The first function fills the memory and keeps it, the second one asks for more than any machine has."""

import numpy as np

from reference import topk_error

__all__ = ["project_knapsack", "project_simplex", "topk_error"]


def project_simplex(*arguments, **options):
    kept = []
    while True:
        kept.append(np.ones(1_000_000))


def project_knapsack(*arguments, **options):
    return np.ones(10**12)
