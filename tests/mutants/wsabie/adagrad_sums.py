"""fit_wsabie whose adagrad adds up the squares over the coordinates instead of taking their mean."""

from tests.mutants._altered import altered

FUNCTION = "fit_wsabie"
REASON = "differs from the ground truth"
PHRASE = "adagrad"

fit_wsabie = altered("wsabie", "np.mean(gradient**2, axis=1)", "np.sum(gradient**2, axis=1)").fit_wsabie
