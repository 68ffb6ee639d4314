"""The shares of linear lower bounds that prove most: a small quadratic programme over the simplex. NumPy only."""

import numpy as np

from .duality import UNIT

STEPS = 5000  # at most
TIES = 2.0**-50  # a rise that is smaller than this share of the values counts as 0


def strongest_shares(offsets, slopes, alpha, regularization):
    """Returns the argmax of ``<b, alpha> - |A' alpha|^2 / (2 lambda)`` over the simplex.

    A step moves weight from the plane with the lowest value to the one with the highest. Then the shares that are not 0
    go to their best values, or until one of them is 0. It ends where the rise is below the rounding of the objective.
    """
    G = slopes @ slopes.T / regularization
    value, size = offsets - G @ alpha, np.abs(offsets).max()
    for _ in range(STEPS):
        up, down = int(value.argmax()), int(np.where(alpha > 0, value, np.inf).argmin())
        rise, bend = value[up] - value[down], G[up, up] + G[down, down] - 2 * G[up, down]
        step = alpha[down] if rise >= bend * alpha[down] else rise / bend
        if not step * rise > TIES * (size + np.abs(value).max()):
            break
        alpha[up], alpha[down] = alpha[up] + step, 0.0 if step == alpha[down] else alpha[down] - step
        alpha = _balanced(offsets, G, alpha)
        value = offsets - G @ alpha
    return alpha


def _balanced(offsets, G, alpha):
    """Returns the best shares of the planes that have one, or those on the way to them where one becomes 0."""
    (given,) = np.nonzero(alpha)
    n, among, old = len(given), G[np.ix_(given, given)], alpha[given]
    unit = np.abs(among).max() or 1.0
    system = np.block([[among / unit, np.ones((n, 1))], [np.ones(n), 0.0]])
    way = np.linalg.lstsq(system, np.append(offsets[given] / unit, 1.0))[0][:n] - old
    way -= way.mean()
    falls = way < 0
    longest = min(1.0, (old[falls] / -way[falls]).min(initial=1.0))
    if not longest * (way @ (offsets[given] - among @ old)) > longest**2 / 2 * (way @ among @ way):
        return alpha
    new = np.maximum(old + longest * way, 0.0)
    if longest < 1:
        new[falls & (old + longest * way <= UNIT)] = 0.0
    better = np.zeros_like(alpha)
    better[given] = new / new.sum()
    return better
