"""project_capped_simplex with the constraint sum x = radius instead of sum x <= radius."""

import reference

FUNCTION = "project_capped_simplex"
REASON = "differs from the ground truth"


def project_capped_simplex(a, cap, radius=1.0, bias=0.0):
    if cap * a.shape[-1] >= radius >= 0:
        return reference.project_knapsack(a, radius, 0.0, cap)
    return reference.project_capped_simplex(a, cap, radius, bias)
