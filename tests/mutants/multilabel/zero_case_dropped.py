"""project_bipartite_simplex that has no answer 0."""

from tests.mutants._altered import altered

FUNCTION = "project_bipartite_simplex"
REASON = "differs from the ground truth"

project_bipartite_simplex = altered(
    "projections", "if radius == 0 or gap <= 0:", "gap = abs(gap)\n    if radius == 0:"
).project_bipartite_simplex
