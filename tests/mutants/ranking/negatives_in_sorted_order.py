"""loss_augmented_inference that returns the ranks in the order of the sorted negatives."""

import numpy as np

from reference import ranking

FUNCTION = "loss_augmented_inference"
REASON = "differs from the ground truth"


def loss_augmented_inference(positive_scores, negative_scores, loss="ap", *, method="quicksort"):
    answer = ranking.loss_augmented_inference(positive_scores, negative_scores, loss, method=method)
    return answer._replace(interleaving=np.sort(answer.interleaving))
