"""The losses and the inference of `reference.ranking`, but buckets or a sort of integers come before the quicksort."""

from __future__ import annotations

import math

import numpy as np

from reference.problems import checks
from reference.problems import ranking as problems
from reference.problems.checks import QSLoss
from reference.problems.checks.types import Array, Floats, Integers

from ._ranking.choice import infer_by_kernel
from ._ranking.cost import KIND_AP, KIND_AUC, KIND_NDCG
from ._ranking.inference import count_ranks, greedy, score_of_ranks, write_ranks_of_scores
from ._ranking.own_loss import compiled_derivative, greedy_by_derivative, infer_by_derivative, loss_by_derivative
from ._shared.examples import read_only

__all__ = ["ap_loss", "ndcg_loss", "rank_loss", "interleaving_ranks", "loss_augmented_inference", "semigradient"]


@checks.documented_by(problems.ap_loss)
def ap_loss(interleaving: Array, n_positive: int) -> float:
    """Returns one minus the average precision of a ranking.

    Notes
    -----
    The twin of `reference.ap_loss`. The loss is computed as the mean share of negatives, which does not cancel. The
    cost is O(N + P).
    """
    before = _negatives_before(*problems.ap_loss(interleaving, n_positive))
    return float(np.mean(before / (np.arange(1, len(before) + 1) + before)))


@checks.documented_by(problems.ndcg_loss)
def ndcg_loss(interleaving: Array, n_positive: int) -> float:
    """Returns one minus the normalised discounted cumulative gain of a ranking.

    Notes
    -----
    The twin of `reference.ndcg_loss`. The cost is O(N + P).
    """
    before = _negatives_before(*problems.ndcg_loss(interleaving, n_positive))
    place = np.arange(2.0, len(before) + 2)
    ideal, gain = 1 / np.log(place), 1 / np.log(place + before)
    return float((ideal - gain).sum() / ideal.sum())


@checks.documented_by(problems.rank_loss)
def rank_loss(interleaving: Array, n_positive: int, loss: str | QSLoss = "ap") -> float:
    """Returns any QS-suitable loss of a ranking, as a sum over the negatives.

    Notes
    -----
    The twin of `reference.rank_loss`. "ap", "ndcg" and "auc" are computed by their definitions in O(N + P), other
    losses by the sum in O(N P).
    """
    ranks, P, loss = problems.rank_loss(interleaving, n_positive, loss)
    loss = _known_loss(loss)
    if loss is AP:
        return ap_loss(ranks, P)
    if loss is NDCG:
        return ndcg_loss(ranks, P)
    if loss is AUC:
        return float(np.mean((P + 1 - ranks) / P))
    return loss_by_derivative(count_ranks(ranks, P), P, compiled_derivative(loss)) / float(loss.total(P, len(ranks)))


@checks.documented_by(problems.interleaving_ranks)
def interleaving_ranks(positive_scores: Array, negative_scores: Array) -> Integers:
    """Returns the rank of each negative in the ranking by scores: one plus the number of positives with a higher score.

    Notes
    -----
    The twin of `reference.interleaving_ranks`. ``ap_loss(interleaving_ranks(p, n), len(p))`` is the loss of the ranking
    by the scores p and n. The cost is O((P + N) log P).
    """
    p, n = problems.interleaving_ranks(positive_scores, negative_scores)
    ranks = np.empty(len(n), np.int64)
    write_ranks_of_scores(_descending(p), read_only(np.ascontiguousarray(n)), ranks)
    return ranks


@checks.documented_by(problems.loss_augmented_inference)
def loss_augmented_inference(
    positive_scores: Array, negative_scores: Array, loss: str | QSLoss = "ap", *, method: str = "quicksort",
    n_jobs: int = 1,
) -> checks.Inference:  # fmt: skip
    r"""Returns the ranking with the largest sum of loss and score (loss-augmented inference).

    Notes
    -----
    The twin of `reference.loss_augmented_inference`. The j-th highest negative maximises
    :math:`f_j(r) = \sum_{i=r}^P (g_j(i) - 2 (p_i - n_j) / (P N))` over its rank r, and the best ranks do not fall with
    j. Of several best ranks the highest is taken, so that positives stay on top. Of equal negatives, the first one
    counts as the higher.

    For the named losses, many negatives for each positive are counted in buckets of scores, and a bucket whose two ends
    have the same best rank needs nothing more: O(P log P + N) where the scores spread over the buckets. Other negatives
    are sorted, and ranked in one pass in which bounds of the costs decide nearly all steps: O((P + N) log (P + N)).
    Several threads share this work from 262 144 negatives on, unless these are sorted already: then one pass on one
    thread is all. Other losses use the paper's quicksort. Greedy is O(N log N + N P). Both use one thread.
    """
    p, n, loss, method, n_jobs = problems.loss_augmented_inference(
        positive_scores, negative_scores, loss, method=method, n_jobs=n_jobs
    )
    loss = _known_loss(loss)
    kind, ranks = _kind_of(loss), np.empty(len(n), np.int64)
    if method == "greedy" or kind is None:
        p, n = checks.two_classes(p, n)
    p, n = _descending(p), read_only(np.ascontiguousarray(n))
    if kind is None:
        return _infer_own(p, n.astype(np.float64), loss, method, ranks)
    if method == "greedy":
        return checks.Inference(ranks, *greedy(p, n, _order(n), kind, ranks))
    objective, value = infer_by_kernel(p, n, kind, ranks, n_jobs)
    if not math.isfinite(objective):
        checks.two_classes(positive_scores, negative_scores)
    return checks.Inference(ranks, objective, value)


@checks.documented_by(problems.semigradient)
def semigradient(positive_scores: Array, negative_scores: Array, interleaving: Array) -> tuple[Floats, Floats]:
    """Returns the gradient of the structured hinge in the scores, at a given ranking.

    Notes
    -----
    The twin of `reference.semigradient`. The structured hinge is the maximum of the bracket over R. If one ranking
    attains it, this is the gradient of the hinge, otherwise one of its subgradients. Of equal positives, the first one
    counts as the higher. The cost is O(P log P + N).
    """
    p, n, ranks = problems.semigradient(positive_scores, negative_scores, interleaving)
    P, N = len(p), len(n)
    by_positive, dtype = np.empty(P), np.result_type(p, n)
    by_positive[_order(p)] = -2 * _negatives_before(ranks, P) / (P * N)
    return by_positive.astype(dtype), ((P + 1 - ranks) * (2 / (P * N))).astype(dtype)


def _ap_derivative(j, i):
    return i / (i + j) / (i + j - 1)


def _ndcg_derivative(j, i):
    """1 / log2(i + j) - 1 / log2(1 + i + j), in a form that keeps its digits where i + j is large."""
    return np.log1p(1 / (i + j)) / (np.log2(i + j) * np.log(1.0 + i + j))


def _ndcg_total(P, N):
    return (1 / np.log2(np.arange(2, P + 2))).sum()


AP = QSLoss("ap", _ap_derivative, lambda P, N: P, ap_loss)
NDCG = QSLoss("ndcg", _ndcg_derivative, _ndcg_total, ndcg_loss)
AUC = QSLoss("auc", lambda j, i: 1.0 + 0.0 * i, lambda P, N: P * N)
LOSSES = {loss.name: loss for loss in (AP, NDCG, AUC)}
KINDS = ((AP, KIND_AP), (NDCG, KIND_NDCG), (AUC, KIND_AUC))


def _known_loss(loss):
    """Returns the QSLoss of a name, None for "zero_one", and a QSLoss as it is."""
    return LOSSES.get(loss) if isinstance(loss, str) else loss


def _kind_of(loss):
    """Returns the number by which the kernels know one of the LOSSES, or None for any other loss."""
    for known, kind in KINDS:
        if loss is known:
            return kind
    return None


def _descending(p):
    """Returns the scores in descending order, float64."""
    descending = np.negative(p, dtype=np.float64)
    descending.sort()
    return np.negative(descending, out=descending)


def _order(scores):
    """Returns the indices that sort scores in descending order. Of equal scores the first is the highest."""
    return len(scores) - 1 - np.argsort(scores[::-1], kind="stable")[::-1]


def _negatives_before(ranks, P):
    """Returns the number of negatives before the i-th positive, for i = 1..P."""
    return np.cumsum(count_ranks(ranks, P)[1:-1])


def _infer_own(p, n, loss, method, ranks):
    """Returns the Inference for a loss of the user's own, which is given by its derivative."""
    P, N, derivative = len(p), len(n), compiled_derivative(loss)
    total = float(loss.total(P, N))
    if method == "quicksort":
        infer_by_derivative(p, n.copy(), derivative, P * N / (2 * total), ranks)
    else:
        greedy_by_derivative(p, n, _order(n), derivative, P * N / (2 * total), ranks)
    counts = count_ranks(ranks, P)
    value = loss_by_derivative(counts, P, derivative) / total
    return checks.Inference(ranks, value + score_of_ranks(p, n, ranks, counts), value)
