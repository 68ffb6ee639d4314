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
