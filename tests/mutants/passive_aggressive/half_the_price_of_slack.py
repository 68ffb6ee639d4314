"""multiclass_update whose "pa2" has 1/C where 1/(2C) belongs: it charges aggressiveness / 2 * loss^2."""

import reference

FUNCTION = "multiclass_update"
REASON = "differs from the ground truth"


def multiclass_update(A, x, y, *, margin=1.0, variant="pa", aggressiveness=1.0, k=1):
    price = aggressiveness / 2 if variant == "pa2" else aggressiveness
    return reference.multiclass_update(A, x, y, margin=margin, variant=variant, aggressiveness=price, k=k)
