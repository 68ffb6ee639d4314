"""fit_wsabie whose chain is too short by one link."""

from tests.mutants._altered import altered

FUNCTION = "fit_wsabie"
REASON = "differs from the ground truth"
PHRASE = "it should not move"

fit_wsabie = altered("wsabie", "len(passed) <= Q", "len(passed) < Q").fit_wsabie
