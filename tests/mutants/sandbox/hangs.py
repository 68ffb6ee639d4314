"""The first function never returns if its input has ties, the second one never returns at all."""

import time

import numpy as np

import reference
from reference import topk_error

__all__ = ["project_simplex", "squish_column", "topk_error"]


def project_simplex(a, radius=1.0):
    while len(np.unique(a)) < a.size > 1:
        pass
    return reference.project_simplex(a, radius)


def squish_column(*arguments, **options):
    while True:
        time.sleep(1)
