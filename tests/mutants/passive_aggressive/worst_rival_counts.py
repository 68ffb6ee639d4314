"""multiclass_update that uses the hinge of the worst rival for every k."""

import reference

FUNCTION = "multiclass_update"
REASON = "differs from the ground truth"


def multiclass_update(A, x, y, *, margin=1.0, variant="pa", aggressiveness=1.0, k=1):
    options = {"margin": margin, "variant": variant, "aggressiveness": aggressiveness}
    reference.multiclass_update(A, x, y, **options, k=k)  # refuses a wrong k
    return reference.multiclass_update(A, x, y, **options)
