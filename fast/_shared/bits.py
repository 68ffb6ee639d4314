"""The bits of floats, read as integers: comparisons of them vectorise although a NaN may occur, and show if one did."""

import numpy as np

from .jit import summing_kernel

_INTEGERS = {np.dtype(np.float64): np.int64, np.dtype(np.float32): np.int32}

# For float32 and float64; a kernel takes the entry `itemsize // 8`.
INFINITY_BITS = 0xFF << 23, 0x7FF << 52  # the bits of inf: all ones in the exponent; those of a NaN are larger
MAGNITUDE_BITS = (1 << 31) - 1, (1 << 63) - 1  # all bits but the sign


def bits_of(a):
    """Returns the bits of a contiguous float array, as integers of the same width: a view."""
    return a.view(_INTEGERS[a.dtype])


@summing_kernel
def all_finite(a):
    """Returns whether no float is NaN or infinite."""
    zero = 0.0
    for i in range(a.size):
        zero += a[i] - a[i]
    return zero == 0
