"""loss_augmented_inference with the derivative of AP, whichever loss is asked for."""

from reference import ranking


def loss_augmented_inference(positive_scores, negative_scores, loss="ap", *, method="quicksort"):
    right = ranking.loss_augmented_inference(positive_scores, negative_scores, loss, method=method)
    answer = ranking.loss_augmented_inference(positive_scores, negative_scores, "ap", method=method)
    lost = ranking.rank_loss(answer.interleaving, len(positive_scores), loss)
    return right._replace(interleaving=answer.interleaving, loss=lost, objective=answer.objective - answer.loss + lost)
