"""Problems that several benchmarks solve."""

import numpy as np


def mixture(quick):
    """Returns Gaussian classes that overlap a little, with rows of length about 1."""
    n, d, m = (600, 64, 12) if quick else (5000, 512, 67)
    rng = np.random.default_rng(0)
    y = np.concatenate([np.arange(m), rng.integers(0, m, n - m)])
    X = 0.15 * rng.standard_normal((m, d))[y] + rng.standard_normal((n, d))
    return X / np.sqrt(d), y
