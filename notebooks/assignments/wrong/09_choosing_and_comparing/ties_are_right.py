"""Counts a tie as right, as a sort would that happens to put the true class first."""

import numpy as np

LOSES = {"topk_error": 2}
FEEDBACK = "you count a tie as right"


def errors_at(scores, y, ks):
    own = np.take_along_axis(scores, y[:, None], axis=1)
    ahead = np.count_nonzero(scores > own, axis=1)
    return np.array([[float(count >= k) for k in ks] for count in ahead])
