"""project_bipartite_simplex that always gives both points the full sum."""

from tests.mutants._altered import altered

FUNCTION = "project_bipartite_simplex"
REASON = "differs from the ground truth"

project_bipartite_simplex = altered("projections", "if w + z > gap:", "if False:").project_bipartite_simplex
