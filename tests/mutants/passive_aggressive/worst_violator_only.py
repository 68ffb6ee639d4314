"""multiclass_update by the closed form of Crammer et al. 2006, which moves the worst rival only."""

import numpy as np

import reference

FUNCTION = "multiclass_update"
REASON = "differs from the ground truth"


def multiclass_update(A, x, y, *, margin=1.0, variant="pa", aggressiveness=1.0, k=1):
    options = {"margin": margin, "variant": variant, "aggressiveness": aggressiveness}
    B = reference.multiclass_update(A, x, y, **options, k=k)
    if variant != "pa" or k > 1 or not np.any(x):
        return B
    scores = A @ np.asarray(x, dtype=np.float64)
    rivals = np.where(np.arange(len(A)) == y, -np.inf, scores)
    violation = max(rivals.max() - scores[y] + margin, 0.0)
    steps = (np.arange(len(A)) == y) - 1.0 * (np.arange(len(A)) == rivals.argmax())
    return (A + np.outer(steps * violation / (2 * x @ x), x)).astype(B.dtype)
