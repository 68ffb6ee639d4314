"""Exponentials of several classes at a time: without a call and without a branch, so that the loop is vectorised.

exp(x) = 2^n exp(r) with an integer n and |r| <= log(2)/2. The polynomial is Taylor's, whose error is 1e-17 there.
Its terms are added in pairs, so that few operations wait for each other.
"""

import numpy as np

from ..._shared.jit import borrowing_inlined, borrowing_kernel, inlined_sum

LOWEST, HIGHEST = -708.0, 709.0  # exp is 0 below the first: it is 3e-308 there. Above the second it stays 8e307
PER_LOG2 = 1 / np.log(2)
LOG2_HIGH = 6.93147180369123816490e-01  # its last 21 bits are 0, so that its products with n are exact
LOG2_LOW = 1.90821492927058770002e-10  # log(2) - LOG2_HIGH
MANTISSA_BITS, BIAS = 52, 1023


@borrowing_inlined
def exponential(x):
    """Returns exp(x) with an error of one rounding."""
    bounded = min(max(x, LOWEST), HIGHEST)
    n = np.floor(bounded * PER_LOG2 + 0.5)
    r = (bounded - n * LOG2_HIGH) - n * LOG2_LOW
    r2 = r * r
    low = (1 / 2 + r * (1 / 6)) + r2 * (1 / 24 + r * (1 / 120))
    middle = (1 / 720 + r * (1 / 5040)) + r2 * (1 / 40320 + r * (1 / 362880))
    r4, high = r2 * r2, (1 / 3628800 + r * (1 / 39916800)) + r2 * (1 / 479001600)
    power = np.int64((np.int64(n) + BIAS) << MANTISSA_BITS).view(np.float64)
    return (1.0 + (r + r2 * (low + r4 * (middle + r4 * high)))) * power if x >= LOWEST else 0.0


@inlined_sum
def _write_exponentials(h, n, highest, shift, out):
    total = 0.0
    for j in range(n):
        out[j] = exponential(min(h[j], highest) + shift)
        total += out[j]
    return total


@borrowing_kernel
def exponentials(h, n, highest, shift, out):
    """Write exp(min(h, highest) + shift) to `out`, for n numbers. Returns the sum."""
    return _write_exponentials(h, n, highest, shift, out)
