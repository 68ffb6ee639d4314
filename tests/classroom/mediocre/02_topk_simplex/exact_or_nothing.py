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
