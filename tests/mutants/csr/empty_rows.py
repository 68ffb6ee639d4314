"""fit_passive_aggressive that sums CSR rows by np.add.reduceat, which takes the next entry for an empty row."""

import numpy as np

import reference

FUNCTION = "fit_passive_aggressive"
REASON = "differs from the ground truth"


def fit_passive_aggressive(X, y, **options):
    if hasattr(X, "tocsr"):
        reference.fit_passive_aggressive(X, y, **options)  # refuses what is wrong
        entries = np.zeros((len(X.data) + 1, X.shape[1]), dtype=X.dtype)
        entries[np.arange(len(X.data)), X.indices] = X.data
        X = np.add.reduceat(entries, X.indptr[:-1], axis=0)
    return reference.fit_passive_aggressive(X, y, **options)
