"""Functions that write where answers are written, or whose process answers twice."""

import contextlib
import os

import reference
from reference import topk_error

__all__ = ["project_capped_simplex", "project_knapsack", "project_simplex", "topk_error"]


def project_simplex(a, radius=1.0):
    os.fork()  # the copy answers, too, and goes on serving
    return reference.project_simplex(a, radius)


def project_capped_simplex(a, *others, **options):
    """Announces four gigabytes on every descriptor, and sends a few bytes of them."""
    write_everywhere(b"\xff" * 10_000)
    return a


def project_knapsack(a, *others, **options):
    write_everywhere(b"rubbish" * 10_000)
    return reference.project_knapsack(a, *others, **options)


def write_everywhere(text):
    for descriptor in range(3, 64):
        with contextlib.suppress(OSError):
            os.write(descriptor, text)
