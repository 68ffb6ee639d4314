"""multiclass_update that takes every example for one of length 1: right on normalised data only."""

import numpy as np

import reference


def multiclass_update(A, x, y, *, margin=1.0, variant="pa", aggressiveness=1.0, k=1):
    options = {"margin": margin, "variant": variant, "aggressiveness": aggressiveness, "k": k}
    B = reference.multiclass_update(A, x, y, **options)
    squared = float(np.dot(x, x))
    return (A + (B - A) * (squared if 1e-3 < squared < 1e3 else 1.0)).astype(B.dtype)
