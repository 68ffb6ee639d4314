"""pyproximal: projection.HyperPlaneBoxProj, with a tolerance for this scale. The weights are its coefficients."""

import numpy as np
from pyproximal.projection import HyperPlaneBoxProj

PRECISE = 1e-14  # of the largest entry


def project_knapsack(a, total, lower=0.0, upper=1.0, weights=None):
    w = np.ones(len(a)) if weights is None else weights
    tolerance = PRECISE * (np.abs(a).max() or 1.0)
    return HyperPlaneBoxProj(w, total, lower, upper, maxiter=1000, xtol=tolerance)(a)
