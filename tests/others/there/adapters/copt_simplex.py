"""copt: constraint.euclidean_proj_simplex, of one vector."""

from copt.constraint import euclidean_proj_simplex


def project_simplex(a, radius=1.0):
    return euclidean_proj_simplex(a, radius)
