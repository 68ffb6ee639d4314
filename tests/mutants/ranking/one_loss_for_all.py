"""loss_augmented_inference that uses the derivative of AP for every loss."""

from reference import ranking

FUNCTION = "loss_augmented_inference"
REASON = "differs from the ground truth"


def loss_augmented_inference(positive_scores, negative_scores, loss="ap", *, method="quicksort"):
    right = ranking.loss_augmented_inference(positive_scores, negative_scores, loss, method=method)
    answer = ranking.loss_augmented_inference(positive_scores, negative_scores, "ap", method=method)
    lost = ranking.rank_loss(answer.interleaving, len(positive_scores), loss)
    return right._replace(interleaving=answer.interleaving, loss=lost, objective=answer.objective - answer.loss + lost)
