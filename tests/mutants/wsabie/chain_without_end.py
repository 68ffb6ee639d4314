"""fit_wsabie that takes -1, which means no violator, for the last class, so that the chain does not end."""

from tests.mutants._altered import altered

FUNCTION = "fit_wsabie"
REASON = "differs from the ground truth"
PHRASE = "last_violators="

fit_wsabie = altered("wsabie", "while v != NONE and v not in passed", "while v % len(last) not in passed").fit_wsabie
