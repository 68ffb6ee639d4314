"""fit_wsabie that divides by the sum of adagrad instead of its root."""

from tests.mutants._altered import altered

FUNCTION = "fit_wsabie"
REASON = "differs from the ground truth"
PHRASE = "adagrad"

fit_wsabie = altered("wsabie", "np.sqrt(sums)", "sums").fit_wsabie
