"""The top-k cone and simplex by Lemma 3, with eq. (8) exactly as printed. If no partition passes, they return zero."""

import numpy as np

import reference
from reference._projections.knapsack import sum_at_radius
from reference._projections.topk_cone import zero_or_constant

FUNCTIONS = ("project_topk_cone", "project_topk_simplex")
REASON = "differs from the ground truth"
LARGEST = 12  # a point of tenths cannot be simplified: with other coordinates it would pass

SMALL = 300  # coordinates: no more have all their partitions tried


def project_topk_cone(a, k, bias=0.0):
    return _searched(reference.project_topk_cone(a, k, bias), a, lambda row: _cone(row, k, bias))


def project_topk_simplex(a, k, radius=1.0, bias=0.0):
    right = reference.project_topk_simplex(a, k, radius, bias)
    return _searched(right, a, lambda row: _simplex(row, k, radius, bias))


def _searched(right, a, search):
    if np.shape(a)[-1] > SMALL:
        return right
    rows = [search(row) for row in np.atleast_2d(a).astype(np.float64)]
    return np.array(rows).reshape(right.shape).astype(right.dtype)


def _simplex(a, k, radius, bias):
    x = zero_or_constant(a, k, radius, bias, 0.0)
    if x is not None:
        return x
    x, t = sum_at_radius(a, radius / k, radius)
    on_the_radius = t + np.maximum(a - t - radius / k, 0.0).sum() / k >= bias * radius
    return x if on_the_radius else _cone(a, k, bias)


def _cone(a, k, bias):
    x = zero_or_constant(a, k, np.inf, bias, 0.0)
    if x is not None:
        return x
    z = np.concatenate([[np.inf], np.sort(a)[::-1], [-np.inf]])
    sums = np.concatenate([[0.0], np.cumsum(z[1:-1])])
    for U in range(k):
        for last in range(k, len(a) + 1):
            M, sum_U, sum_M = last - U, sums[U], sums[last] - sums[U]
            D = (k - U) ** 2 + (U + bias * k**2) * M
            u = (M * sum_U + (k - U) * sum_M) / D
            t = (sum_M - (k - U) * u) / M
            if z[last + 1] <= t <= z[last] and z[U + 1] <= t + u <= z[U]:
                return np.clip(a - t, 0.0, u)
    return np.zeros(len(a))
