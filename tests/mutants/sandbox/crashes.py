"""Reads from address 0."""

import ctypes

from reference import topk_error

FUNCTION = "project_simplex"
REASON = "exited"

__all__ = ["project_simplex", "topk_error"]


def project_simplex(a, radius=1.0):
    return ctypes.string_at(0)
