"""loss_augmented_inference that forgets that a pair changes sides: (p - n) / (P N) instead of twice as much."""

import numpy as np

from reference import ranking


def loss_augmented_inference(positive_scores, negative_scores, loss="ap", *, method="quicksort"):
    ranking.loss_augmented_inference(positive_scores, negative_scores, loss, method=method)
    p, n = (np.asarray(scores) / 2 for scores in (positive_scores, negative_scores))
    answer = ranking.loss_augmented_inference(p, n, loss, method=method)
    return answer._replace(objective=answer.loss + 2 * (answer.objective - answer.loss))
