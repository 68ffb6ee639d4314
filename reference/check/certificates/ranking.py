"""Certificates of rankings: numbers that are 0 only at the best one, for millions of negatives. NumPy only.

Let d_j(i) = g_j(i) - 2 (p_i - n_j) / (P N): by how much loss plus score grows when the j-th highest negative passes
the i-th highest positive on its way up. With a QS-suitable loss d_j(i) does not grow with j, and so of the negatives
that share a rank only the last can want a higher one (further down), only the first a lower one; and each needs to try
only the ranks up to that of its neighbours, for whoever wants to go beyond them makes a neighbour want to go, too.
"""

import numpy as np

BITS = 40  # of 53: numbers with no more of them are added up without rounding


def loss_augmented_inference(interleaving, positive_scores, negative_scores, loss="ap", *, method=None):
    """The most that a negative can gain by another rank, times N, relative to 1 + its distance to the positives.

    inf if the answer holds no ranks, or if a negative has a higher rank than one that scores less, or as much and
    comes later. Also if a higher rank is exactly as good, since the highest has to be taken: but only if the tie is
    beyond doubt, all numbers in it being multiples of a power of two so that no sum of them is rounded. Sums that
    are 0 by accident of rounding decide nothing. O(N log N + P log P).
    """
    p, n = (np.asarray(scores).astype(np.float64) for scores in (positive_scores, negative_scores))
    ranks, P, N = np.asarray(interleaving), len(p), len(n)
    if ranks.shape != (N,) or ranks.dtype.kind not in "iu" or ranks.min() < 1 or ranks.max() > P + 1:
        return np.inf
    order = np.argsort(-n, kind="stable")
    p, n, ranks = np.sort(p)[::-1], n[order], ranks[order].astype(np.int64)
    steps = np.diff(ranks)
    if (steps < 0).any():
        return np.inf
    last = np.append(np.flatnonzero(steps), N - 1)  # of each run of equal ranks
    first = np.append(0, last[:-1] + 1)
    taken, derivative, worst = ranks[last], derivative_of(loss, P, N), 0.0
    for j, below, rank in zip(first, np.append(1, taken[:-1]), taken, strict=True):
        gains = np.cumsum(_gains(p, n[j], j + 1, below, rank, N, derivative)[::-1])
        worst = max(worst, gains.max(initial=0.0) / (1 + _farthest(p, n[j])))
    for j, rank, above in zip(last, taken, np.append(taken[1:], P + 1), strict=True):
        losses = np.cumsum(_gains(p, n[j], j + 1, rank, above, N, derivative))
        if (losses == 0).any() and _exact(p[rank - 1 :], n[j], derivative(j + 1, np.arange(rank, P + 1)), N * P):
            return np.inf
        worst = max(worst, -losses.min(initial=0.0) / (1 + _farthest(p, n[j])))
    return float(worst)


def interleaving_ranks(ranks, positive_scores, negative_scores):
    """The share of the negatives that are not right between the two positives that their rank says. O(N + P log P)."""
    p, n = (np.asarray(scores).astype(np.float64) for scores in (positive_scores, negative_scores))
    ranks = np.asarray(ranks)
    if ranks.shape != n.shape or ranks.dtype.kind not in "iu" or ranks.min() < 1 or ranks.max() > len(p) + 1:
        return np.inf
    fence = np.concatenate([[np.inf], np.sort(p)[::-1], [-np.inf]])
    return float(np.mean(~((fence[ranks - 1] > n) & (n >= fence[ranks]))))


def _gains(p, score, j, low, high, N, derivative):
    """N d_j(i) for i = low..high - 1."""
    return N * derivative(j, np.arange(low, high)) - 2 * (p[low - 1 : high - 1] - score) / len(p)


def _farthest(p, score):
    return max(abs(p[0] - score), abs(p[-1] - score))


def _exact(p, score, g, pairs):
    """Whether all summands have so few digits, in base two, that no order of adding them up rounds anything."""
    values = np.concatenate([p, [score], g, 2 * (p - score) / pairs])
    unit = 2.0 ** (np.frexp(np.abs(values).sum())[1] - BITS)
    return bool((np.remainder(values, unit) == 0).all())


def derivative_of(loss, P, N):
    """g_j(i) of one of the three losses, or of a QSLoss; never a difference of two sums, which loses the digits."""
    if loss == "ap":
        return lambda j, i: i / ((i + j - 1.0) * (i + j)) / P
    if loss == "ndcg":
        gain = (np.log(2) / np.log1p(np.arange(1, P + 1))).sum()
        return lambda j, i: np.log1p(1 / (i + j)) * np.log(2) / (np.log(i + j) * np.log(1 + i + j)) / gain
    if loss == "auc":
        return lambda j, i: np.full(len(i), 1 / (P * N))
    return lambda j, i: np.broadcast_to(loss.derivative(j, i) / loss.total(P, N), np.shape(i)).astype(np.float64)
