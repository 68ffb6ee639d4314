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
