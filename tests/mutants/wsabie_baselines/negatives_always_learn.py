"""fit_one_vs_all that updates negative classes whatever their scores are."""

from tests.mutants._altered import altered

FUNCTION = "fit_one_vs_all"
REASON = "differs from the ground truth"
PHRASE = "it should not move"

RIGHT = '"a difference of scores", most) > 0:'
fit_one_vs_all = altered("wsabie_baselines", RIGHT, f"{RIGHT[:-2]}(0 if sign > 0 else -np.inf):").fit_one_vs_all
