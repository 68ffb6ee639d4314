"""How much rounding may change an answer: the one rule that judges and certificates share."""

import numpy as np

# Errors are relative to the size of the point or of the answer. The tolerance is this multiple of eps(dtype) times
# sqrt(d), because a sum of d numbers loses about sqrt(d) roundings.
ROUNDING = 50.0


def tolerance(dtype, size):
    """Returns the largest relative error that rounding explains in an answer of this type with `size` coordinates."""
    return ROUNDING * float(np.finfo(dtype).eps) * max(1.0, size) ** 0.5


def relative(residual, unit):
    """Returns residual / unit. If the unit is 0, the result is 0 or infinite: nothing counts as small beside zero."""
    return float(residual / unit if unit else np.inf if residual else 0.0)


def spacing(dtype):
    """Returns the smallest positive number of this type. Near it, rounding is not relative to the size of a number."""
    return float(np.nextafter(np.dtype(dtype).type(0), np.dtype(dtype).type(1)))


def answer_dtype(array):
    """Returns float32 for a float32 array, and float64 for everything else."""
    return np.dtype(np.float32 if getattr(array, "dtype", None) == np.float32 else np.float64)
