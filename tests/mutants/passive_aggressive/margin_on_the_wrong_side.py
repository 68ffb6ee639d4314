"""multiclass_update with the margin subtracted: it repairs scores_j - scores_y - margin."""

import numpy as np

import reference

FUNCTION = "multiclass_update"
REASON = "differs from the ground truth"


def multiclass_update(A, x, y, *, margin=1.0, variant="pa", aggressiveness=1.0, k=1):
    options = {"variant": variant, "aggressiveness": aggressiveness, "k": k}
    B = reference.multiclass_update(A, x, y, margin=margin, **options)
    if not margin or not np.any(x):
        return B
    raised = A + np.outer(np.arange(len(A)) == y, 2 * margin * np.asarray(x) / np.dot(x, x))
    return (A + reference.multiclass_update(raised, x, y, margin=margin, **options) - raised).astype(B.dtype)
