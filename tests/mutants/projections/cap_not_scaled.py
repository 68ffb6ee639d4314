"""project_topk_simplex with the cap 1/k where it should be radius/k, as printed in section 5."""

import reference

FUNCTION = "project_topk_simplex"
REASON = "differs from the ground truth"


def project_topk_simplex(a, k, radius=1.0, bias=0.0):
    x = reference.project_topk_simplex(a, k, radius, bias)
    at_radius = abs(x.sum() - radius) < 1e-9 * radius
    return reference.project_capped_simplex(a, 1 / k, radius, bias) if at_radius else x
