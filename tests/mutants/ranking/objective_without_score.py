"""loss_augmented_inference that reports the loss as the objective."""

from reference import ranking

FUNCTION = "loss_augmented_inference"
REASON = "reports something else"


def loss_augmented_inference(positive_scores, negative_scores, loss="ap", *, method="quicksort"):
    answer = ranking.loss_augmented_inference(positive_scores, negative_scores, loss, method=method)
    return answer._replace(objective=answer.loss)
