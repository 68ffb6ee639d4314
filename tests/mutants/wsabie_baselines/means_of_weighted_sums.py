"""fit_nearest_means that divides the weighted sums by the numbers of examples."""

import numpy as np

from tests.mutants._altered import altered

FUNCTION = "fit_nearest_means"
REASON = "differs from the ground truth"
PHRASE = "sample_weight="


def weighted(rows, axis, shares):
    return np.mean(np.array(rows) * shares[:, None], axis=axis)


module = altered("wsabie_baselines", "np.average", "weighted")
module.weighted = weighted
fit_nearest_means = module.fit_nearest_means
