"""Forks the worker. The fork answers, too, and goes on serving."""

import os

import reference
from reference import topk_error

FUNCTION = "project_simplex"
REASON = "malformed answer"

__all__ = ["project_simplex", "topk_error"]


def project_simplex(a, radius=1.0):
    os.fork()
    return reference.project_simplex(a, radius)
