"""squish_column whose running mean does not count the first coordinate."""

import numpy as np

import reference

FUNCTION = "squish_column"
REASON = "differs from the ground truth"


def squish_column(z, lower=-np.inf, upper=np.inf):
    x = reference.squish_column(z, lower, upper)
    rows = np.atleast_2d(z).astype(np.float64)
    return np.array([_squished(row, lower, upper) for row in rows]).reshape(x.shape).astype(x.dtype)


def _squished(z, lower, upper):
    mean, squished = z[0], 1
    for value in np.sort(z[1:])[::-1]:
        if value <= np.clip(mean, lower, upper):
            break
        mean += (value - mean) / squished
        squished += 1
    return np.clip(np.append(mean, np.minimum(z[1:], mean)), lower, upper)
