"""Asks for more memory than there is."""

import numpy as np

from reference import topk_error

__all__ = ["project_simplex", "topk_error"]


def project_simplex(a, radius=1.0):
    return np.ones(10**12)[: a.size]
