"""jaxopt: projection_simplex, compiled, in double precision. A batch goes through jax.vmap."""

import jax
import numpy as np
from jaxopt.projection import projection_simplex

jax.config.update("jax_enable_x64", True)
ONE, BATCH = jax.jit(projection_simplex), jax.jit(jax.vmap(projection_simplex, (0, None)))


def project_simplex(a, radius=1.0):
    return np.asarray((ONE if a.ndim == 1 else BATCH)(a, radius))
