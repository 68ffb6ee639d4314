"""project_topk_cone that searches by Lemma 3 in exact comparisons. If no partition passes, it returns zero."""

import numpy as np

import reference

FUNCTION = "project_topk_cone"
REASON = "differs from the ground truth"


def project_topk_cone(a, k, bias=0.0):
    x = reference.project_topk_cone(a, k, bias)
    if a.ndim == 2 or not x.any() or np.isclose(x[x > 0], x.max()).all():
        return x
    return _search(a.astype(np.float64), k, bias).astype(x.dtype)


def _search(a, k, bias):
    z = np.concatenate([[np.inf], np.sort(a)[::-1], [-np.inf]])
    for U in range(k):
        for last in range(max(k, U + 1), len(a) + 1):
            M, sum_U, sum_M = last - U, z[1 : U + 1].sum(), z[U + 1 : last + 1].sum()
            D = (k - U) ** 2 + (U + bias * k**2) * M
            u = (M * sum_U + (k - U) * sum_M) / D
            t = (U * (1 + bias * k) * sum_M - (k - U + bias * k * M) * sum_U) / D + bias * k * u
            if z[last + 1] <= t <= z[last] and z[U + 1] <= t + u <= z[U]:
                return np.clip(a - t, 0, u)
    return np.zeros_like(a)
