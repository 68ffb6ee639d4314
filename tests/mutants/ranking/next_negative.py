"""loss_augmented_inference whose j is too large by one."""

from reference import ranking

FUNCTION = "loss_augmented_inference"
REASON = "differs from the ground truth"


def loss_augmented_inference(positive_scores, negative_scores, loss="ap", *, method="quicksort"):
    if loss not in ("ap", "ndcg"):
        return ranking.loss_augmented_inference(positive_scores, negative_scores, loss, method=method)
    right = ranking.LOSSES[loss]
    later = right._replace(derivative=lambda j, i: right.derivative(j + 1, i))
    answer = ranking.loss_augmented_inference(positive_scores, negative_scores, later, method=method)
    lost = right.value(answer.interleaving, len(positive_scores))
    return answer._replace(loss=lost, objective=answer.objective - answer.loss + lost)
