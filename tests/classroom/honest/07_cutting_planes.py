# === active_set
"""An active set for the programme, einsum for the planes, the bound as a value at its own weights."""

import numpy as np

import reference


# %%
def lower_bound(offsets, slopes, shares, regularization):
    w = np.einsum("c,cd->d", shares, slopes) / -regularization
    planes = offsets + slopes @ w
    return w, float(regularization / 2 * np.sum(w**2) + shares @ planes)


# %%
def cutting_plane(positives, negatives, w, worst):
    ranks, loss = worst(positives.dot(w), negatives.dot(w))
    both = reference.semigradient(positives.dot(w), negatives.dot(w), ranks)
    slope = np.einsum("i,id->d", both[0], positives) + np.einsum("j,jd->d", both[1], negatives)
    return (float(loss), slope)


# %%
def small_programme(offsets, G, shares, tolerance):
    G = G + 1e-13 * np.trace(G) * np.eye(len(G))
    alpha, used = shares.astype(float), shares > 0
    for _ in range(5000):
        size = int(used.sum())
        system = np.zeros((size + 1, size + 1))
        system[:size, :size], system[size, :size], system[:size, size] = G[np.ix_(used, used)], 1.0, 1.0
        target = np.zeros(len(alpha))
        target[used] = np.linalg.solve(system, np.append(offsets[used], 1.0))[:size]
        out = used & (target <= 0)
        if out.any() and size > 1:
            steps = alpha[out] / np.maximum(alpha[out] - target[out], 1e-300)
            alpha = np.maximum(alpha + steps.min() * (target - alpha), 0)
            used[np.flatnonzero(out)[steps.argmin()]] = False
            alpha = np.where(used, alpha, 0) / alpha[used].sum()
            continue
        alpha = target
        g = offsets - G @ alpha
        if g.max() - g @ alpha <= tolerance or used[g.argmax()]:
            break
        used[g.argmax()] = True
    return alpha


# === away_steps
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
