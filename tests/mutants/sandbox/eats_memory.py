"""Fills the memory and keeps it."""

import numpy as np

from reference import topk_error

FUNCTION = "project_simplex"
REASON = "out of memory"

__all__ = ["project_simplex", "topk_error"]


def project_simplex(a, radius=1.0):
    kept = []
    while True:
        kept.append(np.ones(1_000_000))
