"""fit_nearest_means that uses only the first label of each example."""

from tests.mutants._altered import altered

FUNCTION = "fit_nearest_means"
REASON = "differs from the ground truth"
PHRASE = "np.array([["

fit_nearest_means = altered("wsabie_baselines", "if g in sets.of(t)]", "if g in sets.of(t)[:1]]").fit_nearest_means
