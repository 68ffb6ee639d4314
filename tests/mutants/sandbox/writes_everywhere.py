"""Writes bytes into every descriptor that it finds."""

import contextlib
import os

import reference
from reference import topk_error

FUNCTION = "project_simplex"
REASON = "malformed answer"

__all__ = ["project_simplex", "topk_error"]


def project_simplex(a, radius=1.0):
    for descriptor in range(3, 64):
        with contextlib.suppress(OSError):
            os.write(descriptor, b"rubbish" * 10_000)
    return reference.project_simplex(a, radius)
