"""pyproximal: Simplex, with NumPy. Its bisection stops at an absolute tolerance, so it is given one for this scale."""

import numpy as np
from pyproximal import Simplex

PRECISE = 1e-14  # of the largest entry


def project_simplex(a, radius=1.0):
    tolerance = PRECISE * max(np.abs(a).max(), radius)
    dims = a.shape if a.ndim == 2 else None
    return Simplex(a.size, radius, dims=dims, xtol=tolerance, maxiter=1000).prox(a, 1.0).reshape(a.shape)
