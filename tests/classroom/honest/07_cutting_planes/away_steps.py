"""Frank-Wolfe with away steps for the programme, loops and a helper for the rest."""

import numpy as np

from reference import semigradient


# %%
def mixed(shares, rows):
    total = np.zeros(rows.shape[1])
    for share, row in zip(shares, rows, strict=True):
        total += share * row
    return total


# %%
def lower_bound(offsets, slopes, shares, regularization):
    slope = mixed(shares, slopes)
    value = sum(share * offset for share, offset in zip(shares, offsets, strict=True))
    return -slope / regularization, value - sum(s * s for s in slope) / (2 * regularization)


# %%
def cutting_plane(positives, negatives, w, worst):
    p = np.array([sum(row * w) for row in positives])
    n = np.array([sum(row * w) for row in negatives])
    ranks, loss = worst(p, n)
    by_p, by_n = semigradient(p, n, ranks)
    return loss, mixed(by_p, positives) + mixed(by_n, negatives)


# %%
def small_programme(offsets, G, shares, tolerance):
    alpha = shares / shares.sum()
    for _ in range(200_000):
        g = offsets - G @ alpha
        if g.max() - g @ alpha <= tolerance:
            break
        up, support = np.argmax(g), np.where(alpha > 0)[0]
        down = support[np.argmin(g[support])]
        if g[up] - g @ alpha >= g @ alpha - g[down] or alpha[down] == 1:
            direction, most = -alpha, 1.0
            direction[up] += 1
        else:
            direction, most = alpha.copy(), alpha[down] / (1 - alpha[down])
            direction[down] -= 1
        curvature = direction @ G @ direction
        step = most if curvature <= 0 else min(most, g @ direction / curvature)
        alpha = np.maximum(alpha + step * direction, 0)
        if step == most and direction[down] < 0 and alpha[down] < 1e-15:
            alpha[down] = 0
        alpha /= alpha.sum()
    return alpha
