"""jaxopt: projection_box_section, compiled, in double precision. Bounds and weights are full vectors there."""

import jax
import numpy as np
from jaxopt.projection import projection_box_section

jax.config.update("jax_enable_x64", True)
PROJECT = jax.jit(projection_box_section)


def project_knapsack(a, total, lower=0.0, upper=1.0, weights=None):
    low, high, w = (np.broadcast_to(v, a.shape) for v in (lower, upper, 1.0 if weights is None else weights))
    return np.asarray(PROJECT(a, (low, high, w, total)))
