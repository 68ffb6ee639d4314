"""fit_wsabie that may draw a label of the example as a violator."""

from tests.mutants._altered import altered

FUNCTION = "fit_wsabie"
REASON = "differs from the ground truth"
PHRASE = "prototypes by"

fit_wsabie = altered("wsabie", "np.setdiff1d(np.arange(m), labels)", "np.arange(m)").fit_wsabie
