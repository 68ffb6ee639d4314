"""multiclass_update that treats "pa1" as "pa": the aggressiveness does not bound the steps."""

import reference

FUNCTION = "multiclass_update"
REASON = "differs from the ground truth"


def multiclass_update(A, x, y, *, margin=1.0, variant="pa", aggressiveness=1.0, k=1):
    variant = "pa" if variant == "pa1" else variant
    return reference.multiclass_update(A, x, y, margin=margin, variant=variant, aggressiveness=aggressiveness, k=k)
