# === away_steps
"""Frank-Wolfe with away steps for the programme, the bound as a value at its own weights, loops for the planes."""

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
    w = np.einsum("c,cd->d", shares, slopes) / -regularization
    planes = offsets + slopes @ w
    return w, float(regularization / 2 * np.sum(w**2) + shares @ planes)


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
