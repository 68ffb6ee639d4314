"""fit_passive_aggressive that clips weights at 0, but only if it is given no order."""

import numpy as np

import reference

FUNCTION = "fit_passive_aggressive"
REASON = "columns"


def fit_passive_aggressive(X, y, *, order=None, **options):
    fit = reference.fit_passive_aggressive(X, y, order=order, **options)
    return fit if order is not None else fit._replace(weights=np.maximum(fit.weights, 0))
