"""fit_wsabie that keeps the last violator of a class although nothing violates any more."""

from tests.mutants._altered import altered

FUNCTION = "fit_wsabie"
REASON = "differs from the ground truth"
PHRASE = "last_violators="
ENOUGH = 100  # the first failures are long walks, which stay long

fit_wsabie = altered("wsabie", "return _remembered(fit, positive, NONE)", "return fit").fit_wsabie
