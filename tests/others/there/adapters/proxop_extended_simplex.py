"""proxop: ExtendedSimplex, {x >= 0, sum x <= radius}. This is the top-k simplex for k = 1."""

from proxop import ExtendedSimplex


def project_topk_simplex(a, k, radius=1.0, bias=0.0):
    return ExtendedSimplex(radius).prox(a)
