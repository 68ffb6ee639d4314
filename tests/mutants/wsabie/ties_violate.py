"""fit_wsabie that counts a margin met exactly as violated."""

from tests.mutants._altered import altered

FUNCTION = "fit_wsabie"
REASON = "differs from the ground truth"
PHRASE = "it should not move"

RIGHT = 'return max(checks.finite_number(difference, "a difference of scores", checks.LARGEST_FLOAT), 0.0)'
fit_wsabie = altered("wsabie", RIGHT, "return difference >= 0").fit_wsabie
