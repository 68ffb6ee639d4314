"""loss_augmented_inference in which a pair that changes sides gains (p - n) / (P N) instead of twice that."""

import numpy as np

from reference import ranking

FUNCTION = "loss_augmented_inference"
REASON = "differs from the ground truth"


def loss_augmented_inference(positive_scores, negative_scores, loss="ap", *, method="quicksort"):
    ranking.loss_augmented_inference(positive_scores, negative_scores, loss, method=method)
    p, n = (np.asarray(scores) / 2 for scores in (positive_scores, negative_scores))
    answer = ranking.loss_augmented_inference(p, n, loss, method=method)
    return answer._replace(objective=answer.loss + 2 * (answer.objective - answer.loss))
