"""Column squishing: the first coordinate and all that are above it end at one value t.

t solves t = z_0 + sum max(z_i - t, 0). The mean of z_0 and any other coordinates is a lower bound of t, and so is each
Newton step. Coordinates that are not above a lower bound can be dropped. One pass collects the coordinates that are
above the mean of z_0 and all collected before.
"""

import numpy as np

from .._projections.candidates import keep_above
from .._shared.bits import all_in_range
from .._shared.jit import kernel, summing_kernel


@kernel
def squish_rows(z, lower, upper, x):
    """Squish each row between the bounds. Returns False if not in range."""
    above = np.empty(z.shape[1])
    for i in range(len(z)):
        if not all_in_range(z[i]):
            return False
        t = min(max(_meeting_point(z[i], above), lower), upper)
        _write_squished(z[i], t, lower, x[i])
    return True


@kernel
def _meeting_point(z, above):
    """Returns t; `above` is memory."""
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
        step = (_sum_of_differences(above[:m], t) - (t - first)) / (m + 1)
        if not t + step > t:
            break
        t += step
    return t


@summing_kernel
def _sum_of_differences(values, t):
    """Returns sum (values - t)."""
    total = 0.0
    for i in range(values.size):
        total += values[i] - t
    return total


@kernel
def _write_squished(z, t, lower, x):
    """Write x_0 = t and x_i = clip(z_i, lower, t)."""
    x[0] = t
    for i in range(1, z.size):
        x[i] = min(max(z[i], lower), t)
