"""semigradient of loss(R) + F(R), without the score of the perfect ranking."""

import numpy as np

from reference import ranking

FUNCTION = "semigradient"
REASON = "differs from the ground truth"


def semigradient(positive_scores, negative_scores, interleaving):
    by_positive, by_negative = ranking.semigradient(positive_scores, negative_scores, interleaving)
    P, N = len(by_positive), len(by_negative)
    dtype = np.result_type(by_positive, by_negative)
    return (by_positive + 1 / P).astype(dtype), (by_negative - 1 / N).astype(dtype)
