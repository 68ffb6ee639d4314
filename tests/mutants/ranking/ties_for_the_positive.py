"""interleaving_ranks that puts a positive before a negative of the same score."""

import numpy as np

from reference import ranking

FUNCTION = "interleaving_ranks"
REASON = "differs from the ground truth"


def interleaving_ranks(positive_scores, negative_scores):
    ranking.interleaving_ranks(positive_scores, negative_scores)
    p, n = np.sort(positive_scores), np.asarray(negative_scores)
    return 1 + len(p) - np.searchsorted(p, n, side="left")
