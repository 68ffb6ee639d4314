"""Prints, and returns the right answer."""

import reference
from reference import topk_error

FUNCTION = "project_simplex"
REASON = "printed"

__all__ = ["project_simplex", "topk_error"]


def project_simplex(a, radius=1.0):
    print("rubbish " * 1000)
    return reference.project_simplex(a, radius)
