"""project_topk_simplex without the cap (sum x)/k: the plain simplex."""

from reference import project_capped_simplex


def project_topk_simplex(a, k, radius=1.0, bias=0.0):
    return project_capped_simplex(a, radius, radius, bias)
