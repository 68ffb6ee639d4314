"""jaxopt: projection_sparse_simplex, with as many entries allowed to be positive as there are."""

import jax
import numpy as np
from jaxopt.projection import projection_sparse_simplex

jax.config.update("jax_enable_x64", True)
PROJECT = jax.jit(projection_sparse_simplex, static_argnums=(1, 2))


def project_simplex(a, radius=1.0):
    return np.asarray(PROJECT(a, len(a), False, radius))
