"""Certificates of rankings: numbers that are 0 only for the best ranking, for millions of negatives. NumPy only.

Let d_j(i) = g_j(i) - 2 (p_i - n_j) / (P N). This is the change of loss plus score when the j-th highest negative moves
up past the i-th highest positive. For a QS-suitable loss, d_j(i) does not increase with j. Two things follow. (1) Among
negatives with the same rank, only the last can gain by a higher rank (further down), and only the first by a lower one.
(2) It is enough to try the ranks up to those of the neighbours: a negative that gains by going beyond a neighbour has a
neighbour that gains, too.
"""

from math import fsum

import numpy as np

BITS = 40  # of the 53 in a float64: sums of numbers with at most so many bits are exact


def loss_augmented_inference(interleaving, positive_scores, negative_scores, loss="ap", *, method=None):
    """Returns by how much another ranking may have a larger objective: 0 only for a best ranking.

    The number is N times the largest gain of a negative by another rank, relative to 1 + its distance to the positives,
    plus what putting the ranks in the order of the scores gains. It is inf for invalid ranks. O(N log N + P log P).
    """
    if (found := _descending(interleaving, positive_scores, negative_scores)) is None:
        return np.inf
    p, n, ranks = found
    P, N, ordered, worst = len(p), len(n), np.sort(ranks), 0.0
    derivative, (first, _, taken) = derivative_of(loss, P, N), _runs(ordered)
    for j, below, rank in zip(first, np.append(1, taken[:-1]), taken, strict=True):
        gains = np.cumsum(_gains(p, n[j], j + 1, below, rank, N, derivative)[::-1])
        worst = max(worst, gains.max(initial=0.0) / (1 + _farthest(p, n[j])))
    for j, _, losses in _raised(p, n, ordered, derivative):
        worst = max(worst, -losses.min(initial=0.0) / (1 + _farthest(p, n[j])))
    sorting = 2 * ((ranks - ordered) @ (n - n[0])) / (P * N)
    return float(worst + sorting / (1 + max(_farthest(p, n[0]), _farthest(p, n[-1]))))


def out_of_order(interleaving, positive_scores, negative_scores):
    """Returns how often a rank is followed by a smaller one, in the order of the scores, the first of equal ones first.

    Where the scores are equal, this is a convention: it changes no objective.
    """
    found = _descending(interleaving, positive_scores, negative_scores)
    return np.inf if found is None else int((np.diff(found[2]) < 0).sum())


def lower_of_several(interleaving, positive_scores, negative_scores, loss="ap"):
    """Returns how many different ranks could be higher for a negative without any change of the objective.

    The highest of several best ranks is a convention. A tie counts only if all numbers in it are multiples of a power
    of two, so that the sums are exact.
    """
    if (found := _descending(interleaving, positive_scores, negative_scores)) is None:
        return np.inf
    p, n, ranks = found[0], found[1], np.sort(found[2])
    P, N, tied = len(p), len(n), 0
    derivative = derivative_of(loss, P, N)
    for j, rank, losses in _raised(p, n, ranks, derivative):
        if (losses == 0).any():
            tied += _exact(p[rank - 1 :], n[j], derivative(j + 1, np.arange(rank, P + 1)), N * P)
    return tied


def interleaving_ranks(ranks, positive_scores, negative_scores):
    """Returns the share of the negatives that are not between the positives that their rank names, by sorting."""
    if (found := _descending(ranks, positive_scores, negative_scores)) is None:
        return np.inf
    p, n, ranks = found
    ends = np.concatenate([[np.inf], p, [-np.inf]])
    return float(np.mean(~((ends[ranks - 1] > n) & (n >= ends[ranks]))))


def ap_loss(loss, interleaving, n_positive):
    """Returns the difference from 1 - the mean of the precision at the places of the positives. O(N log N + P)."""
    return rank_loss(loss, interleaving, n_positive, "ap")


def ndcg_loss(loss, interleaving, n_positive):
    """Returns the difference from 1 - the sum of the discounts at the places of the positives over the best sum."""
    return rank_loss(loss, interleaving, n_positive, "ndcg")


def rank_loss(value, interleaving, n_positive, loss="ap"):
    """Returns the difference from the loss by its definition; that of a QSLoss is relative, and costs O(N P)."""
    ranks = np.sort(np.asarray(interleaving).astype(np.int64))
    right = loss_of(ranks, n_positive, derivative_of(loss, n_positive, len(ranks)), loss)
    return abs(float(value) - right) / max(1.0, abs(right))


def semigradient(slopes, positive_scores, negative_scores, interleaving):
    """Returns the largest difference from eq. (5) in a pair of slopes, each relative to the largest slope of its kind.

    A positive loses 2 / (P N) for each negative before it, and a negative gains as much for each positive behind it.
    """
    p, ranks = np.asarray(positive_scores).astype(np.float64), np.asarray(interleaving)
    P, N, place = len(p), len(ranks), np.empty(len(p), np.int64)
    place[np.argsort(-p, kind="stable")] = np.arange(1, P + 1)
    before = np.searchsorted(np.sort(ranks), place, side="right")
    apart = slopes[0] + 2 * before / (P * N), slopes[1] - 2 * (P + 1 - ranks) / (P * N)
    return max(float(np.abs(part).max() * len(part) / 2) for part in apart)


def _descending(interleaving, positive_scores, negative_scores):
    """Returns the scores of both classes in descending order and the ranks of the negatives; None if one is invalid."""
    p, n = (np.asarray(scores).astype(np.float64) for scores in (positive_scores, negative_scores))
    ranks = np.asarray(interleaving)
    if ranks.shape != n.shape or ranks.dtype.kind not in "iu" or ranks.min() < 1 or ranks.max() > len(p) + 1:
        return None
    order = np.argsort(-n, kind="stable")
    return np.sort(p)[::-1], n[order], ranks[order].astype(np.int64)


def _runs(ranks):
    """Returns the first and the last negative of each run of equal ranks, and its rank."""
    last = np.append(np.flatnonzero(np.diff(ranks)), len(ranks) - 1)
    return np.append(0, last[:-1] + 1), last, ranks[last]


def _raised(p, n, ranks, derivative):
    """Yields (negative, its rank, what it loses by each higher rank up to the next run) for the last of each run."""
    _, last, taken = _runs(ranks)
    for j, rank, above in zip(last, taken, np.append(taken[1:], len(p) + 1), strict=True):
        yield j, rank, np.cumsum(_gains(p, n[j], j + 1, rank, above, len(n), derivative))


def _gains(p, score, j, low, high, N, derivative):
    """Returns N d_j(i) for i = low..high - 1."""
    return N * derivative(j, np.arange(low, high)) - 2 * (p[low - 1 : high - 1] - score) / len(p)


def _farthest(p, score):
    return max(abs(p[0] - score), abs(p[-1] - score))


def _exact(p, score, g, pairs):
    """True if all terms have so few bits that their sum is exact in any order."""
    values = np.concatenate([p, [score], g, 2 * (p - score) / pairs])
    unit = 2.0 ** (np.frexp(np.abs(values).sum())[1] - BITS)
    return bool((np.remainder(values, unit) == 0).all())


def derivative_of(loss, P, N):
    """Returns g_j(i) of one of the three losses or of a QSLoss. A difference of two sums would lose digits."""
    if loss == "ap":
        return lambda j, i: i / ((i + j - 1.0) * (i + j)) / P
    if loss == "ndcg":
        gain = (np.log(2) / np.log1p(np.arange(1, P + 1))).sum()
        return lambda j, i: np.log1p(1 / (i + j)) * np.log(2) / (np.log(i + j) * np.log(1 + i + j)) / gain
    if loss == "auc":
        return lambda j, i: np.full(len(i), 1 / (P * N))
    return lambda j, i: np.broadcast_to(loss.derivative(j, i) / loss.total(P, N), np.shape(i)).astype(np.float64)


def score(p, n, ranks):
    """Returns F(R) in float64, as a sum over the positives and the negatives."""
    middle = (min(p.min(), n.min()) + max(p.max(), n.max())) / 2
    # For the i-th highest positive, the number of negatives behind it.
    behind = np.cumsum(np.bincount(len(p) + 1 - ranks, minlength=len(p) + 1))[:-1][::-1]
    by_positive = (np.sort(p)[::-1] - middle) * (2 * behind - len(n))
    by_negative = (n - middle) * (len(p) - 2 * (ranks - 1))
    return (fsum(by_positive) + fsum(by_negative)) / (len(p) * len(n))


def loss_of(ranks, P, derivative, loss):
    """Returns the loss of ranks in ascending order: by its definition, or that of a QSLoss by its derivative."""
    if loss not in ("ap", "ndcg", "auc"):
        return sum(float(derivative(j, np.arange(r, P + 1)).sum()) for j, r in enumerate(ranks, start=1))
    if loss == "auc":
        return float(np.mean(P + 1 - ranks) / P)
    i = np.arange(1, P + 1)
    places = i + np.searchsorted(ranks, i, side="right")
    if loss == "ap":
        return float(np.mean(1 - i / places))
    return float(1 - (1 / np.log1p(places)).sum() / (1 / np.log1p(i)).sum())
