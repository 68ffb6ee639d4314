"""Never returns."""

from reference import topk_error

FUNCTION = "project_simplex"
REASON = "hung"

__all__ = ["project_simplex", "topk_error"]


def project_simplex(a, radius=1.0):
    while True:
        pass
