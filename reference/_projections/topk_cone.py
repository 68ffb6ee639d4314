"""The projection of one row onto the top-k cone, by the three cases of Lemma 3 of 004."""

import numpy as np


def zero_or_constant(a, k, radius, bias, offset):
    """Cases 1 and 2 of Lemma 3. Returns x if it is 0 or if its k largest coordinates share one value, else None."""
    x, order = np.zeros(len(a)), np.argsort(-a, kind="stable")
    total = a[order[:k]].sum() + k * offset
    if radius == 0 or total <= 0:
        return x
    u = min(total / (k + bias * k**2), radius / k)
    if k < len(a) and a[order[k - 1]] - a[order[k]] < u:
        return None
    x[order[:k]] = u
    return x


def cone_partition(a, k, bias, offset):
    """Case 3 of Lemma 3. Returns x for the partition whose (t, u) of eq. (7) violates the inequalities (8) the least.

    In exact arithmetic one partition satisfies them. With rounded numbers it can happen that none does.
    """
    z = np.concatenate([[np.inf], np.sort(a)[::-1], [-np.inf]])  # z[j] is the j-th largest
    sums = np.concatenate([[0.0], np.cumsum(z[1:-1])])
    best = (np.inf, 0.0, 0.0)  # the violation, t and u
    for U in range(k):
        last = np.arange(k, len(a) + 1)  # the index that ends M
        M, sum_U, sum_M = last - U, sums[U], sums[last] - sums[U]
        D = (k - U) ** 2 + (U + bias * k**2) * M
        u = (M * sum_U + (k - U) * sum_M + k * M * offset) / D
        t = (sum_M - (k - U) * u) / M
        violation = np.max([z[last + 1] - t, t - z[last], z[U + 1] - t - u, t + u - z[U]], axis=0)  # eq. (8): <= 0
        i = np.argmin(violation)
        if violation[i] < best[0]:
            best = (violation[i], t[i], u[i])
        if best[0] <= 0:
            break
    t, u = best[1:]
    x = np.clip(a - t, 0.0, u)
    # The rounding of t is the same in each coordinate, and adds up in the sum, which must be k u.
    if (middle := (x > 0) & (x < u)).any():
        x[middle] = np.clip(x[middle] + (k * u - x.sum()) / middle.sum(), 0.0, u)
    return x
