"""fit_passive_aggressive that writes its result into the weights that it was given."""

import numpy as np

import reference

FUNCTION = "fit_passive_aggressive"
REASON = "changed its input"


def fit_passive_aggressive(X, y, *, weights=None, **options):
    fit = reference.fit_passive_aggressive(X, y, weights=weights, **options)
    if isinstance(weights, np.ndarray):
        weights[...] = fit.weights
    return fit
