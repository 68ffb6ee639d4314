"""fit_nearest_means that writes CSR entries into an array: of two entries in one place the last one remains."""

import numpy as np

import reference

FUNCTION = "fit_nearest_means"
REASON = "differs from the ground truth"


def fit_nearest_means(X, Y, **options):
    if hasattr(X, "tocsr"):
        reference.fit_nearest_means(X, Y, **options)  # refuses what is wrong
        dense = np.zeros(X.shape, dtype=X.dtype)
        dense[np.repeat(np.arange(X.shape[0]), np.diff(X.indptr)), X.indices] = X.data
        X = dense
    return reference.fit_nearest_means(X, Y, **options)
