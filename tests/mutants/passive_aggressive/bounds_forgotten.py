"""squish_column that ignores its bounds."""

import reference

FUNCTION = "squish_column"
REASON = "differs from the ground truth"


def squish_column(z, lower=float("-inf"), upper=float("inf")):
    reference.squish_column(z, lower, upper)  # refuses wrong ones
    return reference.squish_column(z)
