"""loss_augmented_inference that ranks the last of several equal negatives highest."""

import numpy as np

from reference import ranking

FUNCTION = "loss_augmented_inference"
REASON = "differs from the ground truth"


def loss_augmented_inference(positive_scores, negative_scores, loss="ap", *, method="quicksort"):
    backwards = np.asarray(negative_scores)[::-1]
    answer = ranking.loss_augmented_inference(positive_scores, backwards, loss, method=method)
    return answer._replace(interleaving=answer.interleaving[::-1].copy())
