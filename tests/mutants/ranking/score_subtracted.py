"""loss_augmented_inference with the sign of F flipped."""

import numpy as np

from reference import ranking

FUNCTION = "loss_augmented_inference"
REASON = "differs from the ground truth"


def loss_augmented_inference(positive_scores, negative_scores, loss="ap", *, method="quicksort"):
    ranking.loss_augmented_inference(positive_scores, negative_scores, loss, method=method)
    p, n = (-1.0 * np.asarray(scores) for scores in (positive_scores, negative_scores))
    return ranking.loss_augmented_inference(p, n, loss, method=method)
