"""scikit-learn: metrics of a ranking. They take relevance and scores; a loss is 1 minus the metric."""

from rankings import ranked
from sklearn.metrics import average_precision_score, label_ranking_loss, ndcg_score


def ap_loss(interleaving, n_positive):
    return 1 - average_precision_score(*ranked(interleaving, n_positive))


def ndcg_loss(interleaving, n_positive):
    relevant, scores = ranked(interleaving, n_positive)
    return 1 - ndcg_score(relevant[None], scores[None], ignore_ties=True)


def rank_loss(interleaving, n_positive, loss="auc"):
    relevant, scores = ranked(interleaving, n_positive)
    return label_ranking_loss(relevant[None], scores[None])
