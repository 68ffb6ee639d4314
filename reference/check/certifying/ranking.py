"""Rankings, their losses and slopes: definitions, and the exchange argument of inference."""

import numpy as np

from ..judging.rounding import answer_dtype, tolerance
from ..ranking import bounds as certificates
from ..ranking_svm.bounds import members
from ._base import Condition, Malformed, integers, needed, number, numbers, parts_of

GAIN = "gain of the negatives by other ranks, relative to 1 + their distance to the positives"
ORDER = "ranks that do not follow the scores, the first of equal ones first"
HIGHEST = "ranks that are not the highest of several best ones"
IN_VALUE = "The answer is right in value: no ranking has a larger objective, up to rounding."


def ap_loss(answer, interleaving, n_positive):
    """`answer` is a number, compared with the definition of the loss."""
    return _loss(answer, interleaving, n_positive, "ap")


def ndcg_loss(answer, interleaving, n_positive):
    """`answer` is a number, compared with the definition of the loss."""
    return _loss(answer, interleaving, n_positive, "ndcg")


def rank_loss(answer, interleaving, n_positive, loss):
    """`answer` is a number, compared with the definition of the loss."""
    return _loss(answer, interleaving, n_positive, loss)


def _loss(answer, interleaving, n_positive, loss):
    answer = numbers(answer, (), "the loss")
    apart = certificates.rank_loss(float(answer), interleaving, n_positive, loss)
    allowed = tolerance(answer.dtype, len(interleaving) + n_positive)
    return [Condition(apart, allowed, "difference from the definition of the loss")]


def interleaving_ranks(answer, positive_scores, negative_scores):
    """`answer` is the ranks (N,). Each negative must be between the positives that its rank names."""
    ranks = integers(answer, negative_scores.shape, "the ranks", 1, len(positive_scores) + 1)
    misplaced = certificates.interleaving_ranks(ranks, positive_scores, negative_scores)
    return [
        Condition(misplaced, 0.0, "share of the negatives that are not between the positives that their rank names")
    ]


def semigradient(answer, positive_scores, negative_scores, interleaving):
    """`answer` is a pair of arrays."""
    if not isinstance(answer, (tuple, list)) or len(answer) != 2:
        raise Malformed("it should be a pair of arrays: the slopes of the positives and of the negatives")
    by_positive = numbers(answer[0], positive_scores.shape, "the slopes of the positives")
    by_negative = numbers(answer[1], negative_scores.shape, "the slopes of the negatives")
    apart = certificates.semigradient((by_positive, by_negative), positive_scores, negative_scores, interleaving)
    dtype = np.float32 if np.float32 in (by_positive.dtype, by_negative.dtype) else np.float64
    return [Condition(apart, tolerance(dtype, 1), "difference from eq. (5), relative to the largest slope of its kind")]


def loss_augmented_inference(answer, positive_scores, negative_scores, loss, **_):
    """`answer` is an Inference, a dict, or the ranks (N,) alone."""
    parts = parts_of(answer, "interleaving")
    needed(parts, "interleaving")
    return _inference(parts, positive_scores, negative_scores, loss)


def grouped_inference(answer, scores, relevant, groups, loss, n_jobs):
    """`answer` is an Inference, a dict, or the ranks (n,) alone. The worst group is reported."""
    parts = parts_of(answer, "interleaving")
    needed(parts, "interleaving")
    samples, dtype = members(relevant, groups), answer_dtype(scores)
    ranks = integers(parts["interleaving"], scores.shape, "the ranks", 0, int(relevant.sum()) + 1)
    values = {name: numbers(parts[name], (len(samples),), name) for name in ("objective", "loss") if name in parts}
    negative = np.zeros(len(scores), dtype=bool)
    negative[np.concatenate([n for _, n in samples])] = True
    wrong = "ranks other than 0 of positives, or of samples in groups without both classes"
    worst = {wrong: Condition(float(np.count_nonzero(ranks[~negative])), 0.0, wrong)}
    for g, (p, n) in enumerate(samples):
        one = {"interleaving": ranks[n], **{name: float(array[g]) for name, array in values.items()}}
        for condition in _inference(one, scores[p], scores[n], loss, f" (group {g} is the worst)", dtype):
            key = condition.what.split(" (group")[0]
            if key not in worst or _excess(condition) > _excess(worst[key]):
                worst[key] = condition
    return list(worst.values())[1:] + list(worst.values())[:1]


def _excess(condition):
    return condition.value / (condition.bound or 1.0)


def _inference(parts, p, n, loss, where="", dtype=None):
    """Returns the conditions of one ranking: no negative gains, the numbers are those of the ranks, the conventions."""
    ranks = integers(parts["interleaving"], n.shape, "the ranks", 1, len(p) + 1)
    dtype = dtype or np.result_type(answer_dtype(p), answer_dtype(n))
    gain = certificates.loss_augmented_inference(ranks, p, n, loss)
    allowed = tolerance(dtype, len(p) + (len(n) if where else 0))
    unordered, lower = certificates.out_of_order(ranks, p, n), certificates.lower_of_several(ranks, p, n, loss)
    return [
        Condition(gain, allowed, f"{GAIN}{where}"),
        *_reported(parts, ranks, p.astype(np.float64), n.astype(np.float64), loss, where, dtype),
        Condition(unordered, 0.0, f"{ORDER}{where}", IN_VALUE),
        Condition(lower, 0.0, f"{HIGHEST}{where}", IN_VALUE),
    ]


def _reported(parts, ranks, p, n, loss, where, dtype):
    """Returns the conditions on the objective and the loss, if the answer has them: those of its ranks."""
    if not {"objective", "loss"} & set(parts):
        return []
    lost = certificates.loss_of(np.sort(ranks), len(p), certificates.derivative_of(loss, len(p), len(n)), loss)
    size, conditions = max(1.0, abs(lost)), []
    expected = {"loss": (lost, size), "objective": (lost + certificates.score(p, n, ranks), size + _spread(p, n))}
    for name, (value, unit) in expected.items():
        if name in parts:
            apart = abs(number(parts[name], name) - value) / unit
            what = f"distance of the {name} from that of the ranks, relative{where}"
            conditions.append(Condition(apart, tolerance(dtype, len(p) + len(n)), what))
    return conditions


def _spread(p, n):
    return max(p.max() - n.min(), n.max() - p.min())
