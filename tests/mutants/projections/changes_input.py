"""project_simplex that sorts its own argument."""

import numpy as np

import reference

FUNCTION = "project_simplex"
REASON = "changed its input"


def project_simplex(a, radius=1.0):
    x = reference.project_simplex(a, radius)
    a[...] = np.sort(a, axis=-1)
    return x
