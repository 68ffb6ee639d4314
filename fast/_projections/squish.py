"""Column squishing: the first coordinate and all that are above it meet at one value, t.

t = z_0 + sum max(z_i - t, 0). The mean of z_0 and any others is at most t, and so is each Newton step for t: what is
not above such a bound can be forgotten. One pass collects what is above the mean of all that it has collected so far.
"""

import numpy as np

from .._shared.bits import all_finite
from .._shared.jit import kernel, summing_kernel
from .candidates import keep_above


@kernel
def squish_rows(z, bits, lower, upper, x):
    """Squish rows; False if not finite."""
    above = np.empty(z.shape[1])
    for i in range(len(z)):
        if not all_finite(bits[i]):
            return False
        top = min(max(_meeting_point(z[i], above), lower), upper)
        _lower_to(z[i], top, lower, x[i])
    return True


@kernel
def _meeting_point(z, above):
    first = float(z[0])
    t, m = first, 0
    for i in range(1, z.size):
        v = float(z[i])
        if v > t:
            above[m] = v
            m += 1
            t += v / (m + 1) - t / (m + 1)
    while m > 0:
        m = keep_above(above, m, t)
        step = (_sum_beyond(above[:m], t) - (t - first)) / (m + 1)
        if not t + step > t:
            break
        t += step
    return t


@summing_kernel
def _sum_beyond(values, t):
    total = 0.0
    for i in range(values.size):
        total += values[i] - t
    return total


@kernel
def _lower_to(z, top, lower, x):
    x[0] = top
    for i in range(1, z.size):
        x[i] = min(max(z[i], lower), top)
