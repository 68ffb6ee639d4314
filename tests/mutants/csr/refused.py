"""prototype_scores that is right for arrays and raises for CSR."""

import numpy as np

import reference

FUNCTION = "prototype_scores"
REASON = "raised"


def prototype_scores(X, fit):
    return reference.prototype_scores(np.asarray(X) if not hasattr(X, "tocsr") else X.A, fit)
