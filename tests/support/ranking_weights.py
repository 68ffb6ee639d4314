"""What the tests of ranking weights share."""

import numpy as np


def weights_of(groups, seed=0, zeros=0):
    """A weight for each sample, the same within a group; some groups may have none."""
    names = np.unique(groups)
    each = np.random.default_rng(seed).uniform(0.1, 3.0, len(names))
    each[:zeros] = 0.0
    return each[np.searchsorted(names, groups)]
