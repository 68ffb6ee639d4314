"""Kiwiel's variable fixing for the knapsack with weights: the coordinates that are still free are kept side by side."""

import numpy as np

from .._shared.bits import all_finite
from .._shared.jit import kernel, summing_kernel


@kernel
def knapsack_rows(a, bits, total, lower, upper, weights, x):
    """Project each row onto {<weights, x> = total, lower <= x <= upper}; False if one is not finite."""
    n, d = a.shape
    free, values = np.empty(d, np.int64), np.empty(d)
    for i in range(n):
        if not all_finite(bits[i]):
            return False
        _fix_variables(a[i], total, lower, upper, weights, free, values)
        for j in range(d):
            x[i, j] = min(max(values[j], lower[j]), upper[j])
    return True


@kernel
def _fix_variables(a, total, lower, upper, weights, free, x):
    """Write the answer to x; free[:m] are the coordinates that are on no bound yet."""
    m, fixed = a.size, 0.0
    for j in range(m):
        free[j] = j
    while m > 0:
        rest = total - fixed
        _solve_without_bounds(a, rest, weights, free[:m], x)
        surplus = (_clipped_sum(x, lower, upper, weights, free[:m]) - total) + fixed
        left = 0
        for j in range(m):
            i = free[j]
            if surplus > 0 and x[i] <= lower[i]:
                x[i] = lower[i]
                fixed += weights[i] * lower[i]
            elif surplus < 0 and x[i] >= upper[i]:
                x[i] = upper[i]
                fixed += weights[i] * upper[i]
            else:
                free[left] = i
                left += 1
        if left == m:
            return
        m = left


@summing_kernel
def _solve_without_bounds(a, rest, weights, free, x):
    """x = a - t weights on the free coordinates, with <weights, x> = rest."""
    wa, ww = 0.0, 0.0
    for i in free:
        wa += weights[i] * a[i]
        ww += weights[i] * weights[i]
    t, got = (wa - rest) / ww, 0.0
    for i in free:
        x[i] = a[i] - t * weights[i]
        got += weights[i] * x[i]
    # Where |a| is large beside the total, x has lost digits; what the sum now lacks says which.
    for _ in range(2):
        missing, got = (rest - got) / ww, 0.0
        for i in free:
            x[i] += missing * weights[i]
            got += weights[i] * x[i]


@summing_kernel
def _clipped_sum(x, lower, upper, weights, free):
    total = 0.0
    for i in free:
        total += weights[i] * min(max(x[i], lower[i]), upper[i])
    return total
