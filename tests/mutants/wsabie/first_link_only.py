"""fit_wsabie that follows only the first link of the chain."""

from tests.mutants._altered import altered

FUNCTION = "fit_wsabie"
REASON = "differs from the ground truth"
PHRASE = "it should not move"

fit_wsabie = altered("wsabie", "len(passed) <= Q", "len(passed) <= min(Q, 1)").fit_wsabie
