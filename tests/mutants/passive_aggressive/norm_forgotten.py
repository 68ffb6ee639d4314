"""multiclass_update that assumes examples of length 1."""

import numpy as np

import reference

FUNCTION = "multiclass_update"
REASON = "differs from the ground truth"


def multiclass_update(A, x, y, *, margin=1.0, variant="pa", aggressiveness=1.0, k=1):
    options = {"margin": margin, "variant": variant, "aggressiveness": aggressiveness, "k": k}
    B = reference.multiclass_update(A, x, y, **options)
    squared = float(np.dot(x, x))
    return (A + (B - A) * (squared if 1e-3 < squared < 1e3 else 1.0)).astype(B.dtype)
