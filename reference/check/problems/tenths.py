"""Points between two partitions, for the projections of section 4.2 of paper 004.

The projection of such a point has thresholds t and t + u. They and the coordinates are multiples of 0.1, with ties. A
coordinate lies exactly on a threshold, and two partitions solve eq. (7) and (8) equally well. But 0.1 is not a binary
fraction. After rounding, neither partition may satisfy eq. (8) to the last digit, and a search that compares exactly
finds no partition. There are several ways to write this search. For each one, points are drawn until it fails.
"""

from itertools import product

import numpy as np

KNOWN = (np.array([0, 0.5, -0.3, 0.6, 0.5, 0.6, -0.1, 0.5, 0, 0.3]), 8, 0.0)
MOST_DRAWS = 2000


def tenths(rng, quick):
    """Yields (a, k, bias) on which an exact search fails. The answers are not constant on their support."""
    yield KNOWN
    for dtype, cumulative, printed in product((np.float64, np.float32), (True, False), (True, False)):
        for bias in (0.0, 1.0) if quick else 2 * (0.0, 1.0):
            for a, k in (_point(rng, bias) for _ in range(MOST_DRAWS)):
                if not _found(a.astype(dtype), k, bias, cumulative, printed):
                    yield a.astype(dtype), k, bias
                    break


def _point(rng, bias):
    """Returns (a, k): coordinates in tenths whose partition U, M, L satisfies the KKT conditions in exact arithmetic.

    The coordinates in M sum to (k - U) u after the projection. Those in U exceed t + u by k (bias sum x - t) in all.
    """
    while True:
        d, u = int(rng.integers(6, 13)), int(rng.integers(1, 8))
        k = int(rng.integers(2, d))
        U = int(rng.integers(1, k))
        t = int(rng.integers(-5, 6 if bias else 0))
        M, excess = k - U + int(rng.integers(1, 4)), k * (bias * k * u - t)
        if U + M > d or not 0 <= excess <= 12 * U:
            continue
        middle = np.full(M, u)
        middle[0] = 0  # exactly at t
        while middle.sum() > (k - U) * u:
            middle[rng.choice(np.flatnonzero(middle))] -= 1
        if not ((0 < middle) & (middle < u)).any():
            continue
        above = np.bincount(rng.integers(0, U, int(excess)), minlength=U)
        below = rng.integers(1, 4, d - U - M)
        return rng.permutation(np.concatenate([t + u + above, t + middle, t - below])) / 10, k


def _found(a, k, bias, cumulative, printed):
    """True if a partition passes eq. (8) exactly. t is computed as eq. (7) prints it, or from the sum over M."""
    z = np.concatenate([[np.inf], np.sort(a)[::-1], [-np.inf]]).astype(a.dtype)
    sums = np.concatenate([[0], np.cumsum(z[1:-1])]).astype(a.dtype)
    for U, last in product(range(k), range(k, len(a) + 1)):
        parts = (sums[U], sums[last] - sums[U]) if cumulative else (z[1 : U + 1].sum(), z[U + 1 : last + 1].sum())
        M, (sum_U, sum_M) = last - U, parts
        D = (k - U) ** 2 + (U + bias * k**2) * M
        u = (M * sum_U + (k - U) * sum_M) / D
        t = (U * (1 + bias * k) * sum_M - (k - U + bias * k * M) * sum_U) / D + bias * k * u
        t = t if printed else (sum_M - (k - U) * u) / M
        if z[last + 1] <= t <= z[last] and z[U + 1] <= t + u <= z[U]:
            return True
    return False
