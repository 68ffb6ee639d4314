"""Returns None."""

from reference import topk_error

FUNCTION = "project_simplex"
REASON = "wrong type"

__all__ = ["project_simplex", "topk_error"]


def project_simplex(a, radius=1.0):
    return None
