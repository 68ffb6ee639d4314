"""ndcg_loss with the discount of Chakrabarti et al. 2008, in which the first two places count the same."""

import numpy as np

from reference import ranking

FUNCTION = "ndcg_loss"
REASON = "differs from the ground truth"


def ndcg_loss(interleaving, n_positive):
    ranking.ndcg_loss(interleaving, n_positive)
    i = np.arange(1, n_positive + 1)
    before = np.searchsorted(np.sort(interleaving), i, side="right")
    return float(1 - np.sum(1 / np.log2(np.maximum(i + before, 2))) / np.sum(1 / np.log2(np.maximum(i, 2))))
