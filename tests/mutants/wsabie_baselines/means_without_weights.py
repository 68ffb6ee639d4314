"""fit_nearest_means that only leaves out the examples of weight 0."""

from tests.mutants._altered import altered

FUNCTION = "fit_nearest_means"
REASON = "differs from the ground truth"
PHRASE = "sample_weight="

fit_nearest_means = altered("wsabie_baselines", "s[of] / s[of].max()", "s[of] > 0").fit_nearest_means
