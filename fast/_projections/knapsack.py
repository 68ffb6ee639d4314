"""Project rows onto the knapsack with bounds and weights of each coordinate: Kiwiel's variable fixing.

The indices of the free coordinates, which are not yet fixed at a bound, are kept in a list that shrinks from round to
round.
"""

import numpy as np

from .._shared.bits import all_in_range
from .._shared.jit import kernel, summing_kernel

CORRECTIONS = 2  # a second one changes the last digits, a third changes nothing
PARTIAL_SUM = 256  # numbers that are summed at once: a sum of such sums has fewer roundings than a sum of all


@kernel
def knapsack_rows(a, total, lower, upper, weights, x):
    """Project each row onto {<weights, x> = total, lower <= x <= upper}. Returns False if not in range."""
    n, d = a.shape
    free, values = np.empty(d, np.int64), np.empty(d)
    for i in range(n):
        if not all_in_range(a[i]):
            return False
        _fix_variables(a[i], total, lower, upper, weights, free, values)
        for j in range(d):
            x[i, j] = min(max(values[j], lower[j]), upper[j])
    return True


@kernel
def _fix_variables(a, total, lower, upper, weights, free, x):
    """Write the answer to x, up to a last clip. free[:m] are the coordinates that are not yet fixed at a bound."""
    m, fixed = a.size, 0.0
    for j in range(m):
        free[j] = j
    while m > 0:
        rest = total - fixed
        _solve_without_bounds(a, rest, weights, free[:m], x)
        surplus = (_clipped_sum(x, lower, upper, weights, free[:m]) - total) + fixed
        still_free = 0
        for j in range(m):
            i = free[j]
            if surplus > 0 and x[i] <= lower[i]:
                x[i] = lower[i]
                fixed += weights[i] * lower[i]
            elif surplus < 0 and x[i] >= upper[i]:
                x[i] = upper[i]
                fixed += weights[i] * upper[i]
            else:
                free[still_free] = i
                still_free += 1
        if still_free == m:
            return
        m = still_free


@summing_kernel
def _solve_without_bounds(a, rest, weights, free, x):
    """Write x = a - t weights on the free coordinates, with <weights, x> = rest there."""
    wa, ww = 0.0, 0.0
    for i in free:
        wa += weights[i] * a[i]
        ww += weights[i] * weights[i]
    t, got = (wa - rest) / ww, 0.0
    for first in range(0, free.size, PARTIAL_SUM):
        part = 0.0
        for i in free[first : first + PARTIAL_SUM]:
            x[i] = a[i] - t * weights[i]
            part += weights[i] * x[i]
        got += part
    # Where |a| is large beside the total, x has lost digits. The error of the sum shows how much to add.
    for _ in range(CORRECTIONS):
        correction, got = (rest - got) / ww, 0.0
        for first in range(0, free.size, PARTIAL_SUM):
            part = 0.0
            for i in free[first : first + PARTIAL_SUM]:
                x[i] += correction * weights[i]
                part += weights[i] * x[i]
            got += part


@summing_kernel
def _clipped_sum(x, lower, upper, weights, free):
    """Returns <weights, clip(x, lower, upper)> over the free coordinates."""
    total = 0.0
    for i in free:
        total += weights[i] * min(max(x[i], lower[i]), upper[i])
    return total
