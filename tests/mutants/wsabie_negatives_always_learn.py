"""fit_one_vs_all in which a negative class learns whatever its score is."""

from wsabie_altered import altered

RIGHT = '"a difference of scores") > 0:'
fit_one_vs_all = altered("wsabie_baselines", RIGHT, f"{RIGHT[:-2]}(0 if sign > 0 else -np.inf):").fit_one_vs_all
