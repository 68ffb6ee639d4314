"""rank_loss that returns "auc" as a number of pairs instead of a share."""

from reference import ranking

FUNCTION = "rank_loss"
REASON = "differs from the ground truth"


def rank_loss(interleaving, n_positive, loss="ap"):
    share = ranking.rank_loss(interleaving, n_positive, loss)
    return share * n_positive * len(interleaving) if loss == "auc" else share
