"""The bits of floats, read as integers: comparisons of them vectorise although a NaN may occur, and show if one did."""

import numpy as np

from reference.problems.checks import LARGEST

from .jit import summing_kernel

_INTEGERS = {np.dtype(np.float64): np.int64, np.dtype(np.float32): np.int32}

# For float32 and float64; a kernel takes the entry `itemsize // 8`.
LARGEST_NUMBERS = tuple(LARGEST[np.dtype(name)] for name in ("float32", "float64"))
LARGEST_BITS = tuple(int(key.type(LARGEST[key]).view(bits)) for key, bits in reversed(_INTEGERS.items()))
MAGNITUDE_BITS = (1 << 31) - 1, (1 << 63) - 1  # all bits but the sign


def bits_of(a):
    """Returns the bits of a contiguous float array, as integers of the same width: a view."""
    return a.view(_INTEGERS[a.dtype])


@summing_kernel
def all_in_range(a):
    """Returns whether no number is NaN or larger than the checks allow."""
    number = a.dtype.type  # a sum of float64 would take float32 four times as long
    largest, zero, outside = number(LARGEST_NUMBERS[a.itemsize // 8]), number(0), number(0)
    for i in range(a.size):
        outside += zero if abs(a[i]) <= largest else number(1)
    return outside == 0
