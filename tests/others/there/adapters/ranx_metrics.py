"""ranx: evaluate, with "map" and "ndcg", for one query. A loss is 1 minus the metric."""

from rankings import ranked
from ranx import Qrels, Run, evaluate

_last = [None, None]


def query(interleaving, n_positive):
    relevant, scores = ranked(interleaving, n_positive)
    if _last[0] is not relevant:
        names = [f"{i:07d}" for i in range(len(relevant))]  # of one length: each length is compiled anew
        truth = {name: 1 for name, right in zip(names, relevant, strict=True) if right}
        _last[:] = relevant, (Qrels({"q": truth}), Run({"q": dict(zip(names, scores, strict=True))}))
    return _last[1]


def ap_loss(interleaving, n_positive):
    return 1 - evaluate(*query(interleaving, n_positive), "map")


def ndcg_loss(interleaving, n_positive):
    return 1 - evaluate(*query(interleaving, n_positive), "ndcg")
