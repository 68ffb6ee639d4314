"""prototype_scores that returns distances, not their squares."""

from wsabie_altered import altered

RIGHT = "return -((fit.prototypes[g] - z) @ (fit.prototypes[g] - z))"
WRONG = "return -np.linalg.norm(fit.prototypes[g] - z)"
prototype_scores = altered("wsabie", RIGHT, WRONG).prototype_scores
