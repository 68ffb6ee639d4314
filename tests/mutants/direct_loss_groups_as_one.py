"""fit_direct_loss that starts from the means of all samples at once, and not from the mean over the groups."""

import numpy as np

import reference


def fit_direct_loss(X, relevant, *, weights=None, **options):
    fit = reference.fit_direct_loss(X, relevant, weights=weights, **options)
    if weights is not None:
        return fit
    flags, data = np.asarray(relevant).astype(bool), X.astype(np.float64)
    start = data[flags].mean(axis=0) - data[~flags].mean(axis=0)
    return reference.fit_direct_loss(X, relevant, weights=np.asarray(start).ravel(), **options)
