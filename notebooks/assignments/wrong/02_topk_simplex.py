# === cap_of_beta
"""Takes the top-k simplex for the capped simplex: the limit radius / k, even where the sum is smaller."""

import numpy as np

import reference

LOSES = {"project_topk_simplex": 5}
FEEDBACK = "that is the set of beta"


def topk_simplex(a, k, radius, bias, cone):
    low, high = 0.0, float(np.abs(a).max()) + 1e-300  # t = bias * sum x where the sum is below the radius
    for _ in range(200):
        t = (low + high) / 2
        low, high = (t, high) if t < bias * np.clip(a - t, 0.0, radius / k).sum() else (low, t)
    x = np.clip(a - t, 0.0, radius / k)
    return x if x.sum() <= radius else reference.project_knapsack(a, total=radius, lower=0.0, upper=radius / k)


# === exact_inequalities
"""Takes a partition only where eq. (8) holds to the last digit, and answers 0 where there is none."""

import numpy as np

LOSES = {"project_topk_cone": 3}
FEEDBACK = "your search found no partition and gave up with 0"


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
    return np.zeros(len(a))


# === half_written
"""Has the first two cases of the cone, and not yet the search."""

import numpy as np

LOSES = {"project_topk_cone": 6}
FEEDBACK = "not written for all cases"


def cone(a, k, bias):
    z = np.sort(a)[::-1]
    if z[:k].sum() <= 0:
        return np.zeros(len(a))
    u = z[:k].sum() / (k + bias * k**2)
    if k == len(a) or z[k - 1] - z[k] >= u:
        return np.where(a >= z[k - 1], u, 0.0)
    raise NotImplementedError()


# === one_more
"""Off by one: takes the threshold of one coordinate more than are positive."""

import numpy as np

LOSES = {"project_simplex": 3}
FEEDBACK = "the threshold of one coordinate more than are positive"


def simplex(a, radius):
    descending = np.sort(a)[::-1]
    t = (np.cumsum(descending) - radius) / np.arange(1, len(a) + 1)
    return np.maximum(a - t[np.count_nonzero(descending > t)], 0)


# === print_left
"""Right, but a line that printed the threshold was left in."""

import numpy as np

LOSES = {"project_simplex": 1.5}
FEEDBACK = "but it prints"


def simplex(a, radius):
    descending = np.sort(a)[::-1]
    t = (np.cumsum(descending) - radius) / np.arange(1, len(a) + 1)
    rho = np.nonzero(descending > t)[0]
    threshold = t[rho[-1] if len(rho) else 0]
    print("t =", threshold)
    return np.maximum(a - threshold, 0)


# === rescaled
"""Takes a projection for a repair: negative numbers become 0, and the rest is divided by its sum."""

import numpy as np

LOSES = {"project_simplex": 3}
FEEDBACK = "clip at 0 and divide by the sum"


def simplex(a, radius):
    positive = np.maximum(a, 0.0)
    return radius * positive / positive.sum() if positive.any() else np.full(len(a), radius / len(a))


# === returns_it_sorted
"""Projects the sorted numbers, and forgets where they came from."""

import numpy as np

LOSES = {"project_simplex": 3}
FEEDBACK = "the order is lost"


def simplex(a, radius):
    descending = np.sort(a)[::-1]
    t = (np.cumsum(descending) - radius) / np.arange(1, len(a) + 1)
    positive = max(np.count_nonzero(descending > t), 1)
    return np.maximum(descending - t[positive - 1], 0)


# === sorts_in_place
"""Sorts the array that it was given, and returns a list."""

LOSES = {"project_simplex": 3}
FEEDBACK = "simplex should return an array, got list"


def simplex(a, radius):
    total, t = 0.0, 0.0
    for j, value in enumerate(sorted(a, reverse=True), start=1):
        total += value
        if value > (total - radius) / j:
            t = (total - radius) / j
    return [max(value - t, 0.0) for value in a]


# === stops_too_early
"""Bisects for the threshold, and stops after twenty halvings."""

import numpy as np

LOSES = {"project_simplex": 3}
FEEDBACK = "digits only: an iteration stops too early"


def simplex(a, radius):
    low, high = a.min() - radius, a.max()
    for _ in range(20):
        t = (low + high) / 2
        if np.maximum(a - t, 0).sum() > radius:
            low = t
        else:
            high = t
    return np.maximum(a - (low + high) / 2, 0)


# === sums_anew
"""The right search, with two loops and the sums added up anew for every partition: d^2 k steps."""

import numpy as np

LOSES = {"project_topk_cone": 3}
FEEDBACK = "it is too slow for this one"


def cone(a, k, bias):
    z = np.sort(a)[::-1]
    d, top = len(a), z[:k].sum()
    if top <= 0:
        return np.zeros(d)
    u = top / (k + bias * k**2)
    if k == d or z[k - 1] - z[k] >= u:
        return np.where(a >= z[k - 1], u, 0.0)
    least = np.inf
    for U in range(k):
        for M in range(k - U, d - U + 1):
            sum_U, sum_M = sum(z[:U]), sum(z[U : U + M])
            u = (M * sum_U + (k - U) * sum_M) / ((k - U) ** 2 + (U + bias * k**2) * M)
            t = (sum_M - (k - U) * u) / M
            broken = max(t - z[U + M - 1], z[U] - t - u)
            if U + M < d:
                broken = max(broken, z[U + M] - t)
            if U > 0:
                broken = max(broken, t + u - z[U - 1])
            if broken < least:
                least, x = broken, np.clip(a - t, 0, u)
    return x


# === zero_forgotten
"""Forgets Lemma 4: where the k largest sum to less than 0, the case of one value gives negative numbers."""

import numpy as np

LOSES = {"project_topk_cone": 6}
FEEDBACK = "you forget Lemma 4"


def cone(a, k, bias):
    z = np.concatenate([[np.inf], np.sort(a)[::-1], [-np.inf]])
    sums = np.concatenate([[0.0], np.cumsum(z[1:-1])])
    u = sums[k] / (k + bias * k**2)
    if z[k] - z[k + 1] >= u:
        return np.where(a >= z[k], u, 0.0)
    least = np.inf
    for U in range(k):
        last = np.arange(k, len(a) + 1)
        M, sum_U, sum_M = last - U, sums[U], sums[last] - sums[U]
        u = (M * sum_U + (k - U) * sum_M) / ((k - U) ** 2 + (U + bias * k**2) * M)
        t = (sum_M - (k - U) * u) / M
        broken = np.max([z[last + 1] - t, t - z[last], z[U + 1] - t - u, t + u - z[U]], axis=0)
        i = np.argmin(broken)
        if broken[i] < least:
            least, x = broken[i], np.clip(a - t[i], 0, u[i])
    return x
