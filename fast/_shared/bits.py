"""Floats by their bits: integers in the same order, of which an extreme tells whether all are finite."""

import numpy as np

from .jit import kernel

_INTEGERS = {np.dtype(np.float64): np.int64, np.dtype(np.float32): np.int32}


def bits_of(a):
    """The bits of a contiguous float array, as integers of the same width."""
    return a.view(_INTEGERS[a.dtype])


@kernel
def all_finite(bits):
    """Whether no float behind these bits is NaN or an infinity: their exponents are not all ones."""
    width = 8 * bits.itemsize
    exponent = (np.int64(0x7FF) << 52) if width == 64 else (np.int64(0xFF) << 23)
    without_sign = (np.int64(1) << (width - 1)) - 1
    most = np.int64(0)
    for i in range(bits.size):
        most = max(most, np.int64(bits[i]) & without_sign)
    return most < exponent
