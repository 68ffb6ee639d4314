"""loss_augmented_inference that takes the lowest of several best ranks, as argmax does."""

import numpy as np

from reference import ranking

FUNCTION = "loss_augmented_inference"
REASON = "differs from the ground truth"


def loss_augmented_inference(positive_scores, negative_scores, loss="ap", *, method="quicksort"):
    answer = ranking.loss_augmented_inference(positive_scores, negative_scores, loss, method=method)
    p, n, ranks = np.sort(positive_scores)[::-1], np.asarray(negative_scores), answer.interleaving.copy()
    P, N, i, loss = len(p), len(n), np.arange(1, len(p) + 1), ranking.LOSSES[loss]
    for j, index in enumerate(np.argsort(-n.astype(float), kind="stable"), start=1):
        gains = loss.derivative(j, i) / loss.total(P, N) - 2 * (p - n[index]) / (P * N)
        ranks[index] = 1 + np.argmax(np.append(np.cumsum(gains[::-1])[::-1], 0.0))
    lost = ranking.rank_loss(ranks, P, loss)
    return answer._replace(interleaving=ranks, loss=lost, objective=answer.objective)
