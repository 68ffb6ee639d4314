"""Calls sys.exit."""

import sys

from reference import topk_error

FUNCTION = "project_simplex"
REASON = "exited"

__all__ = ["project_simplex", "topk_error"]


def project_simplex(a, radius=1.0):
    sys.exit(0)
