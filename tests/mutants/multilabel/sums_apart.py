"""project_bipartite_simplex that projects each point alone, onto a sum of at most the radius."""

import reference

FUNCTION = "project_bipartite_simplex"
REASON = "differs from the ground truth"


def project_bipartite_simplex(b, c, radius=1.0):
    reference.project_bipartite_simplex(b, c, radius)  # for its errors
    return tuple(reference.project_capped_simplex(a, radius, radius) for a in (b, c))
