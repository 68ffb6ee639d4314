"""Returns a hundred times what it was given, and then some."""

import numpy as np

from reference import topk_error

__all__ = ["project_simplex", "topk_error"]


def project_simplex(a, radius=1.0):
    return np.zeros(20_000_000)
