"""fit_passive_aggressive that visits the examples in the first epoch's order again and again."""

import numpy as np

import reference


def fit_passive_aggressive(X, y, *, order=None, **options):
    fit = reference.fit_passive_aggressive(X, y, order=order, **options)
    return reference.fit_passive_aggressive(X, y, order=order[0], **options) if np.ndim(order) == 2 else fit
