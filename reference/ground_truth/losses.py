"""The losses from their definitions: every subset of the rivals is tried, without any sorting.

Slow and obviously right. Signatures and results are those of `reference.losses`, which explains the arguments.
"""

from itertools import combinations

import numpy as np

from .. import contract


def topk_error(scores, y, k=1):
    """Returns 1 if there are k rivals that all score as much as the true class or more, else 0."""
    scores, y = contract.scores_and_labels(scores, y)
    k = contract.count(k, "k", scores.shape[1])
    errors = []
    for row, label in zip(scores, y, strict=True):
        rivals = [score for j, score in enumerate(row) if j != label]
        errors.append(any(all(score >= row[label] for score in subset) for subset in combinations(rivals, k)))
    return np.array(errors, dtype=scores.dtype)


def topk_hinge(scores, y, k=1, kind="alpha"):
    """Returns the largest value over all choices of classes. With h_j = 1 + s_j - s_y for the rivals j, the values are

    alpha: 0, and the mean of any k of the h_j;
    beta: the sum of any k or fewer of the h_j, divided by k;
    alpha_inclusive: 0, and the mean of any k of the h_j and the number 0 (for the true class).
    """
    scores, y = contract.scores_and_labels(scores, y)
    k = contract.count(k, "k", scores.shape[1] - 1)
    kind = contract.choice(kind, "kind", contract.KINDS)
    losses = []
    for row, label in zip(scores.astype(np.float64), y, strict=True):
        margins = [1 + score - row[label] for j, score in enumerate(row) if j != label]
        if kind == "alpha_inclusive":
            margins.append(0.0)
        sizes = range(k + 1) if kind == "beta" else (0, k)
        losses.append(max(sum(subset) / k for size in sizes for subset in combinations(margins, size)))
    return np.array(losses, dtype=scores.dtype)
