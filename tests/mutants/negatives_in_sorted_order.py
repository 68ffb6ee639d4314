"""loss_augmented_inference whose ranks are those of the sorted negatives, not of the negatives as they came."""

import numpy as np

from reference import ranking


def loss_augmented_inference(positive_scores, negative_scores, loss="ap", *, method="quicksort"):
    answer = ranking.loss_augmented_inference(positive_scores, negative_scores, loss, method=method)
    return answer._replace(interleaving=np.sort(answer.interleaving))
