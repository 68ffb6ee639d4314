"""pytrec_eval-terrier: "map" and "ndcg" of trec_eval, for one query. A loss is 1 minus the metric."""

import pytrec_eval
from rankings import ranked

_last = [None, None, None]


def measured(interleaving, n_positive, measure):
    relevant, scores = ranked(interleaving, n_positive)
    if _last[0] is not relevant:
        names = [str(i) for i in range(len(relevant))]
        truth = {name: int(right) for name, right in zip(names, relevant, strict=True)}
        judge = pytrec_eval.RelevanceEvaluator({"q": truth}, {measure})
        _last[:] = relevant, judge, {"q": dict(zip(names, scores.tolist(), strict=True))}
    return _last[1].evaluate(_last[2])["q"][measure]


def ap_loss(interleaving, n_positive):
    return 1 - measured(interleaving, n_positive, "map")


def ndcg_loss(interleaving, n_positive):
    return 1 - measured(interleaving, n_positive, "ndcg")
