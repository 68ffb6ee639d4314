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
