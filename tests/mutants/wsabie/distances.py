"""prototype_scores that returns distances instead of their squares."""

from tests.mutants._altered import altered

FUNCTION = "prototype_scores"
REASON = "differs from the ground truth"
PHRASE = "'euclidean'"

RIGHT = "return -((fit.prototypes[g] - z) @ (fit.prototypes[g] - z))"
WRONG = "return -np.linalg.norm(fit.prototypes[g] - z)"
prototype_scores = altered("wsabie", RIGHT, WRONG).prototype_scores
