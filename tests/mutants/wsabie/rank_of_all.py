"""fit_wsabie that estimates the rank among m classes instead of the m - 1 others."""

from tests.mutants._altered import altered

FUNCTION = "fit_wsabie"
REASON = "differs from the ground truth"
PHRASE = "weighting='harmonic'"

fit_wsabie = altered("wsabie", "(m - 1) // trials", "m // trials").fit_wsabie
