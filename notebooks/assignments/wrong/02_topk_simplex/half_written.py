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
