"""scikit-learn: roc_auc_score. The AUC loss is 1 minus it."""

from rankings import ranked
from sklearn.metrics import roc_auc_score


def rank_loss(interleaving, n_positive, loss="auc"):
    return 1 - roc_auc_score(*ranked(interleaving, n_positive))
