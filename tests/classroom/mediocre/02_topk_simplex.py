# === cap_of_one
"""Takes the radius for 1: the sum is 1 and the limit is 1 / k."""

import reference

LOSES = {"project_topk_simplex": 5}
FEEDBACK = "your sum is 1 and your cap is 1 / k"
SAYS = ["your sum is 1 and your cap is 1 / k, whatever the radius is."]


def topk_simplex(a, k, radius, bias, cone):
    x = cone(a, k, bias)
    if x.sum() > radius:
        x = reference.project_knapsack(a, 1.0, 0.0, 1.0 / k)
    return x


# === exact_or_nothing
"""Takes a partition only where eq. (8) holds to the last digit, and returns nothing where there is none."""

import numpy as np

LOSES = {"project_topk_cone": 3}
FEEDBACK = "cone should return an array, got None"
SAYS = []


def cone(a, k, bias):
    z = np.concatenate([[np.inf], np.sort(a)[::-1], [-np.inf]])
    sums = np.concatenate([[0.0], np.cumsum(z[1:-1])])
    u = sums[k] / (k + bias * k**2)
    if sums[k] <= 0:
        return np.zeros(len(a))
    if z[k] - z[k + 1] >= u:
        return np.where(a >= z[k], u, 0.0)
    for U in range(k):
        last = np.arange(k, len(a) + 1)
        M, sum_U, sum_M = last - U, sums[U], sums[last] - sums[U]
        D = (k - U) ** 2 + (U + bias * k**2) * M
        u = (M * sum_U + (k - U) * sum_M) / D
        t = (U * (1 + bias * k) * sum_M - (k - U + bias * k * M) * sum_U) / D + bias * k * u
        fits = (z[last + 1] <= t) & (t <= z[last]) & (z[U + 1] <= t + u) & (t + u <= z[U])
        if fits.any():
            return np.clip(a - t[fits][0], 0, u[fits][0])
    return None


# === no_next_one
"""Compares the k-th largest with the next one, also where there is no next one: k = d."""

import numpy as np

LOSES = {"project_topk_cone": 6}
FEEDBACK = "IndexError"
SAYS = []


def cone(a, k, bias):
    z = np.sort(a)[::-1]
    if z[:k].sum() <= 0:
        return np.zeros(len(a))
    u = z[:k].sum() / (k + bias * k**2)
    if z[k - 1] - z[k] >= u:
        return np.where(a >= z[k - 1], u, 0.0)
    padded, sums = np.concatenate([[np.inf], z, [-np.inf]]), np.concatenate([[0.0], np.cumsum(z)])
    least = np.inf
    for U in range(k):
        last = np.arange(k, len(a) + 1)
        M, sum_U, sum_M = last - U, sums[U], sums[last] - sums[U]
        u = (M * sum_U + (k - U) * sum_M) / ((k - U) ** 2 + (U + bias * k**2) * M)
        t = (sum_M - (k - U) * u) / M
        broken = np.max([padded[last + 1] - t, t - padded[last], padded[U + 1] - t - u, t + u - padded[U]], axis=0)
        i = np.argmin(broken)
        if broken[i] < least:
            least, x = broken[i], np.clip(a - t[i], 0, u[i])
    return x


# === single_precision
"""Computes in float32, to save memory, and converts the answer back."""

import numpy as np

LOSES = {"project_simplex": 3}
FEEDBACK = "digits only"
SAYS = [
    "your answer is right to about 7 digits only: an iteration stops too early, a tolerance is too large, or something "
    "is computed in a lower precision."
]


def simplex(a, radius):
    a = a.astype(np.float32)
    descending = np.sort(a)[::-1]
    t = (np.cumsum(descending) - np.float32(radius)) / np.arange(1, len(a) + 1, dtype=np.float32)
    positive = np.count_nonzero(descending > t)
    return np.maximum(a - t[max(positive, 1) - 1], 0).astype(np.float64)
