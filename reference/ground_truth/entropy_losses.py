"""The top-k entropy losses from their definitions: every set of rivals at the cap, or forgiven, is tried.

Slow and obviously right. Signatures and results are those of `reference.entropy_losses`, which explains the arguments.
"""

from itertools import combinations
from math import exp, fsum, log, log1p

import numpy as np

from ..problems import checks

FEASIBLE = 1e-12  # by how much a share may exceed its cap, relative, after rounding


def topk_entropy(scores, y, k=1):
    """Returns the largest value over all sets of rivals at the cap whose maximiser is feasible."""
    return _each_row(scores, y, k, lambda h: _maximum(h, k)[0])


def topk_entropy_gradient(scores, y, k=1):
    """Returns the maximiser u for the rivals, and -sum u for the true class."""
    return _each_row(scores, y, k, lambda h: _maximum(h, k)[1], gradient=True)


def truncated_topk_entropy(scores, y, k=1):
    """Returns the smallest loss over all sets of k-1 rivals that are forgiven."""
    return _each_row(scores, y, k, lambda h: _minimum(h, k)[0])


def truncated_topk_entropy_gradient(scores, y, k=1):
    """Returns the gradient for the first of the sets whose loss is the smallest."""
    return _each_row(scores, y, k, lambda h: _minimum(h, k)[1], gradient=True)


def _each_row(scores, y, k, function, gradient=False):
    """Returns function(h) of each row, with h = s_j - s_y for the rivals; or, for a gradient, rows of all classes."""
    scores, y = checks.scores_and_labels(scores, y)
    checks.count(k, "k", scores.shape[1] - 1)
    answers = []
    for row, label in zip(scores.astype(np.float64), y, strict=True):
        found = function([score - row[label] for j, score in enumerate(row) if j != label])
        answers.append([*found[:label], -fsum(found), *found[label:]] if gradient else found)
    return np.array(answers, dtype=scores.dtype)


def _maximum(h, k):
    """Returns (the top-k entropy, its maximiser u).

    If the rivals in G have p_j = 1/k, the best p for the others is their softmax, times 1 - |G|/k. The optimal p is of
    this form for some G. Any other feasible p has a smaller value.
    """
    best = -np.inf, None
    for size in range(k):
        for capped in combinations(range(len(h)), size):
            rest = [j for j in range(len(h)) if j not in capped]
            top = max(h[j] for j in rest)
            log_sum = top + log(fsum(exp(h[j] - top) for j in rest))
            share = 1 - size / k
            if share * exp(top - log_sum) <= (1 + FEASIBLE) / k:
                value = fsum([*(h[j] / k for j in capped), size / k * log(k), share * (log_sum - log(share))])
                p = [1 / k if j in capped else share * exp(h[j] - log_sum) for j in range(len(h))]
                best = max(best, (value, p), key=lambda pair: pair[0])
    value, p = best
    return softplus(value), [exp(value - softplus(value)) * share for share in p]


def _minimum(h, k):
    """Returns (the truncated top-k entropy, the probabilities of the rivals)."""
    best = np.inf, None
    for forgiven in combinations(range(len(h)), k - 1):
        rest = [j for j in range(len(h)) if j not in forgiven]
        top = max(h[j] for j in rest)
        loss = softplus(top + log(fsum(exp(h[j] - top) for j in rest)))
        if loss < best[0]:
            best = loss, [0.0 if j in forgiven else exp(h[j] - loss) for j in range(len(h))]
    return best


def softplus(value):
    """Returns log(1 + exp(value))."""
    return max(value, 0.0) + log1p(exp(-abs(value)))
