"""Losses from the ranking itself, inference by trying every ranking, gradients by differences. All of it is loops.

Slow and obviously right. A float is a fraction, and scores are added up as fractions. So ties are exact at any scale.
`reference.ranking` explains the arguments.
"""

from fractions import Fraction
from itertools import combinations_with_replacement
from math import comb, fsum, log2

import numpy as np

from ..problems import checks

MOST_RANKINGS = 500  # that are tried, in less than a second
LOSS_ROUNDING = 1e-14  # absolute error of a loss between 0 and 1 that is computed in floats: some tens of eps


def ap_loss(interleaving, n_positive):
    """Returns 1 - the mean over the positives of the share of positives among all samples up to this one."""
    ranks, P = checks.interleaving(interleaving, n_positive)
    return 1 - fsum(i / place for i, place in enumerate(_places(ranks, P), start=1)) / P


def ndcg_loss(interleaving, n_positive):
    """Returns 1 - the sum of the discounts at the places of the positives, over the same sum for the first P places."""
    ranks, P = checks.interleaving(interleaving, n_positive)
    return 1 - fsum(map(_discount, _places(ranks, P))) / fsum(_discount(i) for i in range(1, P + 1))


def rank_loss(interleaving, n_positive, loss="ap"):
    """Returns sum_j sum_{i >= r_j} g_j(i),   where r_j is the rank of the j-th highest negative."""
    ranks, P = checks.interleaving(interleaving, n_positive)
    return float(_sum_over_negatives(ranks, P, checks.qs_loss(loss, LOSSES)))


def interleaving_ranks(positive_scores, negative_scores):
    """Returns one plus the number of positives with a higher score, by comparing each negative with each positive."""
    p, n = checks.two_classes(positive_scores, negative_scores)
    return np.array([1 + sum(float(score) > float(negative) for score in p) for negative in n], dtype=np.int64)


def loss_augmented_inference(positive_scores, negative_scores, loss="ap", *, method="quicksort"):
    """Returns the best of all rankings in which positives and negatives are each in the order of their scores."""
    p, n = checks.two_classes(positive_scores, negative_scores)
    loss, _ = checks.qs_loss(loss, LOSSES), checks.choice(method, "method", ("quicksort", "greedy"))
    P, N = len(p), len(n)
    if comb(P + N, N) > MOST_RANKINGS:
        raise ValueError(f"positive_scores must leave at most {MOST_RANKINGS} rankings to try, got {comb(P + N, N)}")
    order = sorted(range(N), key=lambda j: -n[j])  # which is stable
    p, n = sorted(_fractions(p), reverse=True), [_fractions(n)[j] for j in order]
    losses = {ranks: _loss(ranks, P, loss) for ranks in combinations_with_replacement(range(1, P + 2), N)}
    values = {ranks: Fraction(lost) + _score(_before(ranks, P), p, n) for ranks, lost in losses.items()}
    rounding = 0 if all(isinstance(lost, Fraction) for lost in losses.values()) else LOSS_ROUNDING
    largest = max(values.values())
    # Take two best rankings, and give each negative the larger of its two ranks. The result is a best ranking, too. So
    # one best ranking has the largest rank for every negative, and it is the largest as a tuple.
    best = max(ranks for ranks, value in values.items() if largest - value <= rounding)
    interleaving = np.zeros(N, dtype=np.int64)
    interleaving[order] = best
    return checks.Inference(interleaving, float(values[best]), float(losses[best]))


def semigradient(positive_scores, negative_scores, interleaving):
    """Returns the central differences of F(R) - F(R*) in each score. The loss of R does not depend on the scores."""
    p, n = checks.two_classes(positive_scores, negative_scores)
    P, N = len(p), len(n)
    ranks, _ = checks.interleaving(interleaving, P, N)
    order = sorted(range(P), key=lambda i: -p[i])
    before = np.zeros((P, N), dtype=bool)
    before[order] = _before(ranks, P)
    perfect, scores = np.ones((P, N), dtype=bool), _fractions(p) + _fractions(n)

    def bracket(scores):
        return _score(before, scores[:P], scores[P:]) - _score(perfect, scores[:P], scores[P:])

    slopes = []
    for k in range(P + N):
        up, down = ([s + step * (i == k) for i, s in enumerate(scores)] for step in (1, -1))
        slopes.append(float((bracket(up) - bracket(down)) / 2))
    dtype = np.result_type(p, n)
    return np.array(slopes[:P], dtype=dtype), np.array(slopes[P:], dtype=dtype)


# --- a ranking -----------------------------------------------------------------------------------------------------


def _ranking(ranks, P):
    """Returns the ranking as a list of + and -. Negatives of rank r are between the positives r - 1 and r."""
    negatives, signs = sorted((int(r) for r in ranks), reverse=True), []
    for i in range(1, P + 2):
        while negatives and negatives[-1] == i:
            negatives.pop()
            signs.append("-")
        if i <= P:
            signs.append("+")
    return signs


def _places(ranks, P):
    """Returns the places of the positives, counted from 1."""
    return [place for place, sign in enumerate(_ranking(ranks, P), start=1) if sign == "+"]


def _before(ranks, P):
    """Returns before[i][j]: whether the i-th highest positive is before negative j, that is, R_ij = 1."""
    return [[i < r for r in ranks] for i in range(1, P + 1)]


def _score(before, p, n):
    """Returns F(R) = 1/(P N) sum_ij R_ij (p_i - n_j), as a fraction: each score times the sum of its R_ij."""
    R = np.where(before, 1, -1)
    of_p, of_n = R.sum(axis=1).tolist(), R.sum(axis=0).tolist()
    total = sum(r * s for r, s in zip(of_p, p, strict=True)) - sum(r * s for r, s in zip(of_n, n, strict=True))
    return total / Fraction(R.size)


def _fractions(values):
    return [Fraction(float(value)) for value in values]


# --- losses --------------------------------------------------------------------------------------------------------


def _discount(i):
    return 1 / log2(1 + i)


def _loss(ranks, P, loss):
    """Returns the loss of a ranking, by its definition or else by the sum in (C1): a fraction if all terms are."""
    if loss is LOSSES["ap"]:
        return 1 - sum(Fraction(i, place) for i, place in enumerate(_places(ranks, P), start=1)) / P
    return ndcg_loss(np.array(ranks), P) if loss is LOSSES["ndcg"] else _sum_over_negatives(ranks, P, loss)


def _sum_over_negatives(ranks, P, loss):
    lost = Fraction(0)
    for j, r in enumerate(sorted(int(r) for r in ranks), start=1):
        for i in range(r, P + 1):
            lost += loss.derivative(j, i)
    return lost / loss.total(P, len(ranks))


LOSSES = {
    "ap": checks.QSLoss("ap", lambda j, i: Fraction(i, i + j - 1) - Fraction(i, i + j), lambda P, N: P),
    "ndcg": checks.QSLoss(
        "ndcg",
        lambda j, i: _discount(i + j - 1) - _discount(i + j),
        lambda P, N: fsum(_discount(i) for i in range(1, P + 1)),
    ),
    "auc": checks.QSLoss("auc", lambda j, i: Fraction(1), lambda P, N: P * N),
}
