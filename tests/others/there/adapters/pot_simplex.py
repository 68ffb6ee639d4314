"""POT: ot.utils.proj_simplex. It projects columns; the sum is its second argument."""

from ot.utils import proj_simplex


def project_simplex(a, radius=1.0):
    return proj_simplex(a.T, radius).T
