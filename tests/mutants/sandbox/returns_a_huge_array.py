"""Returns an array that is larger than the limit."""

import numpy as np

from reference import topk_error

FUNCTION = "project_simplex"
REASON = "malformed answer"

__all__ = ["project_simplex", "topk_error"]


def project_simplex(a, radius=1.0):
    return np.zeros(20_000_000)
