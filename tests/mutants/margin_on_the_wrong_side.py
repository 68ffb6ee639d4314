"""multiclass_update that lets the label lose by the margin: scores_j - scores_y - margin is all that is repaired."""

import numpy as np

import reference


def multiclass_update(A, x, y, *, margin=1.0, variant="pa", aggressiveness=1.0, k=1):
    options = {"variant": variant, "aggressiveness": aggressiveness, "k": k}
    B = reference.multiclass_update(A, x, y, margin=margin, **options)
    if not margin or not np.any(x):
        return B
    raised = A + np.outer(np.arange(len(A)) == y, 2 * margin * np.asarray(x) / np.dot(x, x))
    return (A + reference.multiclass_update(raised, x, y, margin=margin, **options) - raised).astype(B.dtype)
