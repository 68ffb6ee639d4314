"""Announces four gigabytes on every descriptor and sends a few bytes of them."""

import contextlib
import os

from reference import topk_error

FUNCTION = "project_simplex"
REASON = "malformed answer"

__all__ = ["project_simplex", "topk_error"]


def project_simplex(a, radius=1.0):
    for descriptor in range(3, 64):
        with contextlib.suppress(OSError):
            os.write(descriptor, b"\xff" * 10_000)
    return a
