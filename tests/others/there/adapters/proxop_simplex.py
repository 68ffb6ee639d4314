"""proxop: Simplex. `axis` names the direction of a vector in a batch."""

from proxop import Simplex


def project_simplex(a, radius=1.0):
    return Simplex(radius, axis=1 if a.ndim == 2 else None).prox(a)
