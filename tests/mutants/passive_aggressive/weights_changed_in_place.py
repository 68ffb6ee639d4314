"""multiclass_update that writes the new weights into its argument."""

import reference

FUNCTION = "multiclass_update"
REASON = "changed its input"


def multiclass_update(A, x, y, *, margin=1.0, variant="pa", aggressiveness=1.0, k=1):
    options = {"margin": margin, "variant": variant, "aggressiveness": aggressiveness, "k": k}
    B = reference.multiclass_update(A, x, y, **options)
    A[...] = B
    return B
