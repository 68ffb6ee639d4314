# === bisections
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
from collections import Counter  # noqa: F401 - I wanted to count ties, and then did not


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


# === other_searches
"""Michelot's iterations for the simplex; for the cone, each U has its M by bisection; helpers in cells of their own."""

import numpy as np
from scipy import optimize  # noqa: F401 - an attempt that I gave up

import reference


# %%
def simplex(a, radius):
    """Michelot: drop what is not positive, until nothing is dropped."""
    active = a
    while True:
        t = (active.sum() - radius) / active.size
        kept = active[active > t]
        if kept.size in (0, active.size):
            break
        active = kept
    return np.where(a > t, a - t, 0.0)


# %%
def partition(prefix, U, last, k, bias):
    """u and t of eq. (7) for one partition, t from the sum over M."""
    M, top, middle = last - U, prefix[U], prefix[last] - prefix[U]
    u = (M * top + (k - U) * middle) / ((k - U) ** 2 + (U + bias * k**2) * M)
    return u, (middle - (k - U) * u) / M


def violation(z, U, last, u, t):
    """By how much eq. (8) is broken; z is descending, with infinities at its ends."""
    return max(z[last + 1] - t, t - z[last], z[U + 1] - t - u, t + u - z[U])


# %%
def cone(a, k, bias):
    order = np.argsort(a)[::-1]
    top = a[order[:k]].sum()
    if top <= 0:
        return np.zeros_like(a)
    z = np.concatenate(([np.inf], a[order], [-np.inf]))
    prefix = np.concatenate(([0.0], a[order].cumsum()))
    u = top / (k + bias * k * k)
    if z[k] - z[k + 1] >= u:
        x = np.zeros_like(a)
        x[order[:k]] = u
        return x
    found = []
    for U in range(k):
        low, high = k, len(a)  # for a given U, more in the middle lower t: the right M is where t passes below z
        while low < high:
            last = (low + high) // 2
            if partition(prefix, U, last, k, bias)[1] < z[last + 1]:
                low = last + 1
            else:
                high = last
        for last in range(max(low - 2, k), min(low + 3, len(a) + 1)):
            u, t = partition(prefix, U, last, k, bias)
            found.append((violation(z, U, last, u, t), u, t))
    _, u, t = min(found)
    return np.minimum(np.maximum(a - t, 0), u)


# %%
def topk_simplex(a, k, radius, bias, cone):
    inside = cone(a, k, bias)
    if inside.sum() > radius:
        return reference.project_knapsack(a, upper=radius / k, total=radius)
    return inside
