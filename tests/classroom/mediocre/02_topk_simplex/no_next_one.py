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
