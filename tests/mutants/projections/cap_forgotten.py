"""project_topk_simplex without the cap (sum x)/k: the plain simplex."""

from reference import project_capped_simplex

FUNCTION = "project_topk_simplex"
REASON = "differs from the ground truth"


def project_topk_simplex(a, k, radius=1.0, bias=0.0):
    return project_capped_simplex(a, radius, radius, bias)
