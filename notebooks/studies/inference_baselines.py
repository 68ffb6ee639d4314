"""The algorithms that paper 002 compares its own with, compiled: for AP, for NDCG and for the 0-1 loss.

`yue` and `chakrabarti` sort the negatives, then try all ranks of each negative: O(N log N + N P). Both return the
interleaving ranks and nothing else: neither the objective nor the loss. They do not bound roundings, so that on ties
they may differ from `fast.loss_augmented_inference(..., method="greedy")`, which does all this. They are meant to be as
quick as their idea allows. `zero_one` decides each sample on its own: O(N + P).
"""

import numpy as np

from fast._shared.jit import kernel


def yue(positive_scores, negative_scores):
    """argmax_R [1 - AP] + F(R): the interleaving rank of each negative (Yue et al. 2007)."""
    p, order, ranks = _sorted(positive_scores, negative_scores)
    _all_ranks_ap(p, negative_scores, order, ranks)
    return ranks


def chakrabarti(positive_scores, negative_scores):
    """argmax_R [1 - NDCG] + F(R): the same for NDCG (Chakrabarti et al. 2008), with the discount 1 / log2(1 + i).

    The discounts are computed once for each place, not once for each pair.
    """
    p, order, ranks = _sorted(positive_scores, negative_scores)
    discounts = 1 / np.log2(np.arange(2.0, len(p) + len(order) + 2))
    scale = len(p) * len(order) / (2 * discounts[: len(p)].sum())
    _all_ranks_ndcg(p, negative_scores, order, scale * (discounts[:-1] - discounts[1:]), ranks)
    return ranks


def zero_one(positive_scores, negative_scores):
    """The hinge of each sample on its own. Returns (loss, slope by positive, slope by negative)."""
    slopes = np.empty(len(positive_scores)), np.empty(len(negative_scores))
    return _hinges(positive_scores, negative_scores, *slopes), *slopes


def _sorted(p, n):
    """Returns (the positives in descending order, the order of the negatives, memory for the ranks)."""
    return np.sort(p)[::-1].copy(), np.argsort(-n, kind="stable"), np.empty(len(n), np.int64)


@kernel
def _all_ranks_ap(p, n, order, ranks):
    half = order.size / 2
    for j in range(1, order.size + 1):
        score, best, gain = n[order[j - 1]], 1, 0.0
        for i in range(1, p.size + 1):
            x = float(i + j)
            gain += (p[i - 1] - score) - half * i / ((x - 1) * x)
            if gain >= 0:
                best, gain = i + 1, 0.0
        ranks[order[j - 1]] = best


@kernel
def _all_ranks_ndcg(p, n, order, costs, ranks):
    """costs[i + j - 2] is what the j-th highest negative pays for going below the i-th positive."""
    for j in range(1, order.size + 1):
        score, best, gain = n[order[j - 1]], 1, 0.0
        for i in range(1, p.size + 1):
            gain += (p[i - 1] - score) - costs[i + j - 2]
            if gain >= 0:
                best, gain = i + 1, 0.0
        ranks[order[j - 1]] = best


@kernel
def _hinges(p, n, by_positive, by_negative):
    loss, share = 0.0, 1 / (p.size + n.size)
    for k in range(p.size):
        wrong = p[k] < 1
        loss += wrong * (1 - p[k])
        by_positive[k] = -share * wrong
    for k in range(n.size):
        wrong = n[k] > -1
        loss += wrong * (1 + n[k])
        by_negative[k] = share * wrong
    return loss * share
