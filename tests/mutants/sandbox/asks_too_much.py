"""Asks for more memory than the machine has."""

import numpy as np

from reference import topk_error

FUNCTION = "project_simplex"
REASON = "out of memory"

__all__ = ["project_simplex", "topk_error"]


def project_simplex(a, radius=1.0):
    return np.ones(10**12)[: a.size]
