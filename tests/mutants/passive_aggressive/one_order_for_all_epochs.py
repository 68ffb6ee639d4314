"""fit_passive_aggressive that visits the examples in the order of the first epoch in every epoch."""

import numpy as np

import reference

FUNCTION = "fit_passive_aggressive"
REASON = "differs from the ground truth"


def fit_passive_aggressive(X, y, *, order=None, **options):
    fit = reference.fit_passive_aggressive(X, y, order=order, **options)
    return reference.fit_passive_aggressive(X, y, order=order[0], **options) if np.ndim(order) == 2 else fit
