"""POT: ot.utils.projection_sparse_simplex, with as many entries allowed to be positive as there are."""

from ot.utils import projection_sparse_simplex


def project_simplex(a, radius=1.0):
    return projection_sparse_simplex(a, a.shape[-1], z=radius, axis=None if a.ndim == 1 else 1)
