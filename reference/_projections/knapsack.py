"""The knapsack problem (004, section 4.1, from its reference [14]) for one row."""

import numpy as np

CORRECTIONS = 2  # of the threshold: a second one changes the last digits, a third changes nothing


def knapsack_row(a, total, lower, upper, weights):
    """Kiwiel's variable fixing. Returns x and its threshold t."""
    x, free, t = np.zeros(len(a)), np.ones(len(a), dtype=bool), 0.0
    while free.any():
        w = weights[free]
        rest = total - weights[~free] @ x[~free]
        t = (w @ a[free] - rest) / (w @ w)
        x[free] = a[free] - t * w
        # Where |a| is large beside the total, x has lost digits. The error of the sum shows how much to add.
        for _ in range(CORRECTIONS):
            correction = (rest - w @ x[free]) / (w @ w)
            x[free], t = x[free] + correction * w, t - correction
        clipped = np.clip(x, lower, upper)
        surplus = weights @ clipped - total
        fixed = free & (x <= lower if surplus > 0 else x >= upper)
        if surplus == 0 or not fixed.any():
            break
        x[fixed], free = clipped[fixed], free & ~fixed
    return np.clip(x, lower, upper), t


def sum_at_radius(a, cap, radius):
    """Project onto the knapsack of sections 4 and 5: 0 <= x <= cap, sum x = radius. Returns x and its threshold."""
    return knapsack_row(a, radius, np.zeros(len(a)), np.full(len(a), cap), np.ones(len(a)))
