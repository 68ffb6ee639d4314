"""Never returns if the input has ties."""

import numpy as np

import reference
from reference import topk_error

FUNCTION = "project_simplex"
REASON = "hung"

__all__ = ["project_simplex", "topk_error"]


def project_simplex(a, radius=1.0):
    while len(np.unique(a)) < a.size > 1:
        pass
    return reference.project_simplex(a, radius)
