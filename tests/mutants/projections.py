"""Wrong versions of the projections."""

import numpy as np

import reference
from reference._projections.knapsack import sum_at_radius
from reference._projections.topk_cone import zero_or_constant
from tests.mutants import wrong


@wrong("project_topk_cone")
def absolute_epsilon(a, k, bias=0.0):
    """It treats a small sum as zero, whatever the scale of the point."""
    x = reference.project_topk_cone(a, k, bias)
    return np.where(x.sum(axis=-1, keepdims=True) < 1e-7, 0, x).astype(x.dtype)


@wrong("project_topk_simplex", "did not raise")
def accepts_anything(a, k, radius=1.0, bias=0.0):
    """It clips a wrong k to its range instead of raising."""
    return reference.project_topk_simplex(a, int(np.clip(k, 1, max(a.shape[-1], 1))), radius, bias)


@wrong("project_topk_cone", "wrong dtype", certified=True)
def always_float64(a, k, bias=0.0):
    """It returns float64 for every input."""
    return reference.project_topk_cone(a, k, bias).astype(np.float64)


@wrong("project_topk_simplex")
def bias_forgotten(a, k, radius=1.0, bias=0.0):
    """It forgets the penalty on the squared sum."""
    return reference.project_topk_simplex(a, k, radius)


@wrong("project_topk_simplex")
def cap_forgotten(a, k, radius=1.0, bias=0.0):
    """It forgets the cap (sum x)/k: it is the plain simplex."""
    return reference.project_capped_simplex(a, radius, radius, bias)


@wrong("project_topk_simplex")
def cap_not_scaled(a, k, radius=1.0, bias=0.0):
    """Its cap is 1/k where it should be radius/k, as printed in section 5."""
    x = reference.project_topk_simplex(a, k, radius, bias)
    at_radius = abs(x.sum() - radius) < 1e-9 * radius
    return reference.project_capped_simplex(a, 1 / k, radius, bias) if at_radius else x


@wrong("project_simplex", "changed its input", certified=True)
def changes_input(a, radius=1.0):
    """It sorts its own argument."""
    x = reference.project_simplex(a, radius)
    a[...] = np.sort(a, axis=-1)
    return x


@wrong("project_topk_cone")
def defaults_to_zero(a, k, bias=0.0):
    """It searches by Lemma 3 in exact comparisons. If no partition passes, it returns zero."""
    x = reference.project_topk_cone(a, k, bias)
    if a.ndim == 2 or not x.any() or np.isclose(x[x > 0], x.max()).all():
        return x
    return first_that_passes(a.astype(np.float64), k, bias).astype(x.dtype)


def first_that_passes(a, k, bias):
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


SMALL = 300  # coordinates: no more have all their partitions tried


@wrong("project_topk_cone", largest=12)  # a point of tenths cannot be simplified: with other coordinates it would pass
def exact_inequalities(a, k, bias=0.0):
    """It searches by Lemma 3, with eq. (8) exactly as printed. If no partition passes, it returns zero."""
    return searched(reference.project_topk_cone(a, k, bias), a, lambda row: cone(row, k, bias))


@wrong("project_topk_simplex", largest=12)
def exact_inequalities_in_the_simplex(a, k, radius=1.0, bias=0.0):
    """Where the sum is less than the radius, it is the projection onto the cone above."""
    right = reference.project_topk_simplex(a, k, radius, bias)
    return searched(right, a, lambda row: simplex(row, k, radius, bias))


def searched(right, a, search):
    if np.shape(a)[-1] > SMALL:
        return right
    rows = [search(row) for row in np.atleast_2d(a).astype(np.float64)]
    return np.array(rows).reshape(right.shape).astype(right.dtype)


def simplex(a, k, radius, bias):
    x = zero_or_constant(a, k, radius, bias, 0.0)
    if x is not None:
        return x
    x, t = sum_at_radius(a, radius / k, radius)
    on_the_radius = t + np.maximum(a - t - radius / k, 0.0).sum() / k >= bias * radius
    return x if on_the_radius else cone(a, k, bias)


def cone(a, k, bias):
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


@wrong("project_capped_simplex")
def sum_fixed(a, cap, radius=1.0, bias=0.0):
    """Its constraint is sum x = radius instead of sum x <= radius."""
    if cap * a.shape[-1] >= radius >= 0:
        return reference.project_knapsack(a, radius, 0.0, cap)
    return reference.project_capped_simplex(a, cap, radius, bias)


@wrong("project_simplex")
def ties_dropped(a, radius=1.0):
    """It sorts with np.unique, so that equal coordinates count once."""
    return np.array([without_ties(row, radius) for row in a]) if a.ndim == 2 else without_ties(a, radius)


def without_ties(a, radius):
    descending = np.unique(a.astype(np.float64))[::-1]
    t = (np.cumsum(descending) - radius) / np.arange(1, len(descending) + 1)
    positive = max(np.count_nonzero(descending > t), 1)
    return np.maximum(a - t[positive - 1], 0.0).astype(a.dtype if a.dtype == np.float32 else np.float64)


@wrong("project_knapsack")
def weights_ignored(a, total, lower=0.0, upper=1.0, weights=None):
    """It takes all weights to be 1."""
    if weights is None or np.shape(weights) != a.shape[-1:] or not np.all(np.asarray(weights) > 0):
        return reference.project_knapsack(a, total, lower, upper, weights)
    d = a.shape[-1]
    total = np.clip(total, np.sum(np.broadcast_to(lower, d)), np.sum(np.broadcast_to(upper, d)))
    return reference.project_knapsack(a, total, lower, upper)
