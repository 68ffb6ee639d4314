"""rank_loss of "auc" as a number of pairs, not as a share of them."""

from reference import ranking


def rank_loss(interleaving, n_positive, loss="ap"):
    share = ranking.rank_loss(interleaving, n_positive, loss)
    return share * n_positive * len(interleaving) if loss == "auc" else share
