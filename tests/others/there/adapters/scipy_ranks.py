"""scipy: stats.rankdata. The rank among all, less the rank among the negatives, counts the positives above."""

import numpy as np
from scipy.stats import rankdata


def interleaving_ranks(positive_scores, negative_scores):
    together = rankdata(-np.append(negative_scores, positive_scores), method="min")[: len(negative_scores)]
    return (1 + together - rankdata(-negative_scores, method="min")).astype(np.int64)
