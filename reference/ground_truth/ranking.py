"""Losses by walking down the ranking, inference by trying every ranking, gradients by differences: loops, and no sums.

Slow and obviously right. Scores are floats, and so fractions, and are added up as such: what is tied is tied exactly,
at any scale. `reference.ranking` explains the arguments.
"""

from fractions import Fraction
from itertools import combinations_with_replacement
from math import comb, fsum, log2

import numpy as np

from .. import contract

LARGEST = 500  # interleavings that are tried
ROUNDING = 1e-14  # of a loss that is no fraction


def ap_loss(interleaving, n_positive):
    """1 - the mean over the positives of: the share of positives among all samples down to this one."""
    ranks, P = contract.interleaving(interleaving, n_positive)
    return 1 - fsum(i / place for i, place in enumerate(_places(ranks, P), start=1)) / P


def ndcg_loss(interleaving, n_positive):
    """1 - the gain of all positives, each discounted by its place, over what it is when they come first."""
    ranks, P = contract.interleaving(interleaving, n_positive)
    return 1 - fsum(map(_discount, _places(ranks, P))) / fsum(_discount(i) for i in range(1, P + 1))


def rank_loss(interleaving, n_positive, loss="ap"):
    """sum_j sum_{i >= r_j} g_j(i),   where r_j is the rank of the j-th highest negative."""
    ranks, P = contract.interleaving(interleaving, n_positive)
    return float(_sum_over_negatives(ranks, P, contract.qs_loss(loss, LOSSES)))


def interleaving_ranks(positive_scores, negative_scores):
    """Each negative is compared with each positive."""
    p, n = contract.two_classes(positive_scores, negative_scores)
    return np.array([1 + sum(float(score) > float(negative) for score in p) for negative in n], dtype=np.int64)


def loss_augmented_inference(positive_scores, negative_scores, loss="ap", *, method="quicksort"):
    """The best of all rankings in which positives and negatives are each in the order of their scores."""
    p, n = contract.two_classes(positive_scores, negative_scores)
    loss, _ = contract.qs_loss(loss, LOSSES), contract.choice(method, "method", ("quicksort", "greedy"))
    P, N = len(p), len(n)
    if comb(P + N, N) > LARGEST:
        raise ValueError(f"positive_scores must leave at most {LARGEST} rankings to try, got {comb(P + N, N)}")
    order = sorted(range(N), key=lambda j: -n[j])  # which is stable
    p, n = sorted(_fractions(p), reverse=True), [_fractions(n)[j] for j in order]
    losses = {ranks: _loss(ranks, P, loss) for ranks in combinations_with_replacement(range(1, P + 2), N)}
    values = {ranks: Fraction(lost) + _score(_before(ranks, P), p, n) for ranks, lost in losses.items()}
    rounding = 0 if all(isinstance(lost, Fraction) for lost in losses.values()) else ROUNDING
    largest = max(values.values())
    # Of two best rankings, the one that gives each negative the larger of its two ranks is a best one, too. So there
    # is one in which all ranks are as large as in any, and as a tuple it is the largest.
    best = max(ranks for ranks, value in values.items() if largest - value <= rounding)
    interleaving = np.zeros(N, dtype=np.int64)
    interleaving[order] = best
    return contract.Inference(interleaving, float(values[best]), float(losses[best]))


def semigradient(positive_scores, negative_scores, interleaving):
    """Central differences of loss(R) + F(R) - F(R*) in one score after the other; the loss does not depend on them."""
    p, n = contract.two_classes(positive_scores, negative_scores)
    P, N = len(p), len(n)
    ranks, _ = contract.interleaving(interleaving, P, N)
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
    """The ranking itself, a list of + and -: the negatives of rank r stand between the positives r - 1 and r."""
    waiting, signs = sorted((int(r) for r in ranks), reverse=True), []
    for i in range(1, P + 2):
        while waiting and waiting[-1] == i:
            waiting.pop()
            signs.append("-")
        if i <= P:
            signs.append("+")
    return signs


def _places(ranks, P):
    """The places, counted from 1, on which one meets the positives."""
    return [place for place, sign in enumerate(_ranking(ranks, P), start=1) if sign == "+"]


def _before(ranks, P):
    """before[i][j]: whether the i-th highest positive is before negative j, that is R_ij = 1."""
    return [[i < r for r in ranks] for i in range(1, P + 1)]


def _score(before, p, n):
    """F(R) = 1/(P N) sum_ij R_ij (p_i - n_j), in fractions."""
    pairs = ((i, j) for i in range(len(p)) for j in range(len(n)))
    return sum(p[i] - n[j] if before[i][j] else n[j] - p[i] for i, j in pairs) / Fraction(len(p) * len(n))


def _fractions(values):
    return [Fraction(float(value)) for value in values]


# --- losses --------------------------------------------------------------------------------------------------------


def _discount(i):
    return 1 / log2(1 + i)


def _loss(ranks, P, loss):
    """The loss of a ranking by its definition, a fraction if it is one; of a loss that has none, by (C1)."""
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
    "ap": contract.QSLoss("ap", lambda j, i: Fraction(i, i + j - 1) - Fraction(i, i + j), lambda P, N: P),
    "ndcg": contract.QSLoss(
        "ndcg",
        lambda j, i: _discount(i + j - 1) - _discount(i + j),
        lambda P, N: fsum(_discount(i) for i in range(1, P + 1)),
    ),
    "auc": contract.QSLoss("auc", lambda j, i: Fraction(1), lambda P, N: P * N),
}
