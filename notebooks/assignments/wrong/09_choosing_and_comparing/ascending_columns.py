"""Sorts the numbers of guesses first, and returns the columns in ascending order."""

import numpy as np

LOSES = {"topk_error": 4}
FEEDBACK = "you return the columns in ascending order of k"


def errors_at(scores, y, ks):
    own = scores[np.arange(len(y)), y][:, None]
    ahead = (scores >= own).sum(axis=1) - 1
    return np.column_stack([(ahead >= k).astype(float) for k in sorted(ks)])
