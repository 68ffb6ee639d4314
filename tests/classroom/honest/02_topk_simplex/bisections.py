"""Bisects for the threshold, and for that of the knapsack, until the interval is closed to the last bit."""

import matplotlib.pyplot as plt
import numpy as np


def root(falling, low, high):
    """Where a falling function of one number passes 0."""
    while True:
        middle = low + (high - low) / 2
        if not low < middle < high:
            return low if abs(falling(low)) <= abs(falling(high)) else high
        if falling(middle) > 0:
            low = middle
        else:
            high = middle


# %%
def simplex(a, radius):
    if radius == 0:
        return np.zeros(len(a))
    t = root(lambda t: np.maximum(a - t, 0).sum() - radius, a.max() - radius, a.max())
    positive = a > t
    if positive.any():  # one step of Newton: t is the last bit that bisection can tell, and sums of d need more
        t = (a[positive].sum() - radius) / positive.sum()
    return np.maximum(a - t, 0)


print(simplex(np.array([0.5, 1.0, -1.0]), 1.0))

# %%
a = np.linspace(-1, 1, 9)
plt.plot(a, simplex(a, 1.0), "o")
plt.title("what is left of nine numbers")
plt.show()

# %%
from collections import Counter  # noqa: E402, F401 - I wanted to count ties, and then did not


def topk_simplex(a, k, radius, bias, cone):
    x = cone(a, k, bias)
    if x.sum() <= radius:
        return x
    if radius == 0:
        return np.zeros(len(a))
    cap = radius / k
    t = root(lambda t: np.clip(a - t, 0, cap).sum() - radius, a.min() - cap, a.max())
    middle, full = (a > t) & (a < t + cap), a >= t + cap
    if middle.any():
        t = (a[middle].sum() - (radius - cap * full.sum())) / middle.sum()
    return np.clip(a - t, 0, cap)
