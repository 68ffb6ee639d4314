"""fit_top_push that returns the duals of the positives only. They do not sum to zero and bound nothing."""

import numpy as np

import reference

FUNCTION = "fit_top_push"
REASON = "certificate"


def fit_top_push(X, relevant, **options):
    fit = reference.fit_top_push(X, relevant, **options)
    return fit._replace(duals=np.maximum(fit.duals, 0))
