"""Each of these functions but the last ends its process, in a way of its own."""

import ctypes
import os
import sys

import numpy as np

from reference import topk_error

__all__ = ["fit_wsabie", "project_bipartite_simplex", "project_capped_simplex", "project_simplex", "topk_error"]


def project_simplex(*arguments, **options):
    sys.exit(0)


def project_capped_simplex(*arguments, **options):
    os._exit(0)


def project_bipartite_simplex(*arguments, **options):
    return ctypes.string_at(0)


def fit_wsabie(*arguments, **options):
    return np.zeros(20_000_000)  # larger than an answer may be
