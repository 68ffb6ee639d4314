"""multiclass_update whose "pa1" is "pa": the steps are not bounded by the aggressiveness."""

import reference


def multiclass_update(A, x, y, *, margin=1.0, variant="pa", aggressiveness=1.0, k=1):
    variant = "pa" if variant == "pa1" else variant
    return reference.multiclass_update(A, x, y, margin=margin, variant=variant, aggressiveness=aggressiveness, k=k)
