"""loss_augmented_inference in which the last of equal negatives is the highest."""

import numpy as np

from reference import ranking


def loss_augmented_inference(positive_scores, negative_scores, loss="ap", *, method="quicksort"):
    backwards = np.asarray(negative_scores)[::-1]
    answer = ranking.loss_augmented_inference(positive_scores, backwards, loss, method=method)
    return answer._replace(interleaving=answer.interleaving[::-1].copy())
