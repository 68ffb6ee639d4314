"""The cap is 1/k where it should be radius/k, as printed in section 5."""

import reference


def project_topk_simplex(a, k, radius=1.0, bias=0.0):
    x = reference.project_topk_simplex(a, k, radius, bias)
    at_radius = abs(x.sum() - radius) < 1e-9 * radius
    return reference.project_capped_simplex(a, 1 / k, radius, bias) if at_radius else x
