"""fit_passive_aggressive that averages the weights before each step, so that the last ones are missing."""

import numpy as np

import reference

FUNCTION = "fit_passive_aggressive"
REASON = "differs from the ground truth"


def fit_passive_aggressive(X, y, *, weights=None, averaged=False, **options):
    fit = reference.fit_passive_aggressive(X, y, weights=weights, averaged=averaged, **options)
    if not averaged:
        return fit
    start = np.zeros(fit.weights.shape) if weights is None else weights
    mean = fit.averaged + (start - fit.weights) / len(fit.mistakes)
    return fit._replace(averaged=mean.astype(fit.averaged.dtype))
