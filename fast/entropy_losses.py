"""The top-k entropy and the truncated top-k entropy of `reference.entropy_losses`, compiled."""

from __future__ import annotations

import numpy as np

from reference.problems import checks
from reference.problems import entropy_losses as problems
from reference.problems.checks.types import Array, Floats

from ._shared.examples import read_only
from ._shared.jit import kernel
from ._svm.entropy.shares import capped_softmax, score_differences, truncated_softmax

__all__ = ["topk_entropy", "topk_entropy_gradient", "truncated_topk_entropy", "truncated_topk_entropy_gradient"]


@checks.documented_by(problems.topk_entropy)
def topk_entropy(scores: Array, y: Array, k: int = 1) -> Floats:
    """Returns the top-k entropy loss of each example.

    Notes
    -----
    The twin of `reference.topk_entropy`. The k largest scores of the rivals are sorted, and usually few of the others
    are looked at again: O(n m) for small k, O(n m log m) in general.
    """
    scores, y, k = problems.topk_entropy(scores, y, k)
    losses = _losses(read_only(np.ascontiguousarray(scores)), y, k, False)
    return checks.in_range(losses, scores.dtype, "the loss")


@checks.documented_by(problems.topk_entropy_gradient)
def topk_entropy_gradient(scores: Array, y: Array, k: int = 1) -> Floats:
    """Returns the gradient of `topk_entropy` in the scores of each example.

    Notes
    -----
    The twin of `reference.topk_entropy_gradient`. The cost is O(n m) for small k, O(n m log m) in general.
    """
    scores, y, k = problems.topk_entropy_gradient(scores, y, k)
    return _gradients(read_only(np.ascontiguousarray(scores)), y, k, False).astype(scores.dtype, copy=False)


@checks.documented_by(problems.truncated_topk_entropy)
def truncated_topk_entropy(scores: Array, y: Array, k: int = 1) -> Floats:
    """Returns the truncated top-k entropy loss of each example.

    Notes
    -----
    The twin of `reference.truncated_topk_entropy`. The cost is O(n m) for small k, O(n m log m) in general.
    """
    scores, y, k = problems.truncated_topk_entropy(scores, y, k)
    losses = _losses(read_only(np.ascontiguousarray(scores)), y, k, True)
    return checks.in_range(losses, scores.dtype, "the loss")


@checks.documented_by(problems.truncated_topk_entropy_gradient)
def truncated_topk_entropy_gradient(scores: Array, y: Array, k: int = 1) -> Floats:
    """Returns the gradient of `truncated_topk_entropy` in the scores of each example.

    Notes
    -----
    The twin of `reference.truncated_topk_entropy_gradient`. Of rivals with equal scores, those with the lowest index
    are forgiven. The cost is O(n m) for small k, O(n m log m) in general.
    """
    scores, y, k = problems.truncated_topk_entropy_gradient(scores, y, k)
    return _gradients(read_only(np.ascontiguousarray(scores)), y, k, True).astype(scores.dtype, copy=False)


@kernel
def _losses(scores, y, k, truncated):
    """Returns the loss of each row."""
    n, m = scores.shape
    losses, h, work, u = np.empty(n), np.empty(m), np.empty(m), np.empty(m)
    for i in range(n):
        score_differences(scores[i], y[i], h)
        losses[i] = truncated_softmax(h, m - 1, k, work, u) if truncated else capped_softmax(h, m - 1, k, work, u)
    return losses


@kernel
def _gradients(scores, y, k, truncated):
    """Returns the gradient of each row: the shares of the rivals, and minus their sum for the true class."""
    n, m = scores.shape
    rows, h, work = np.empty((n, m)), np.empty(m), np.empty(m)
    for i in range(n):
        score_differences(scores[i], y[i], h)
        u, label, total = rows[i], y[i], 0.0
        if truncated:
            truncated_softmax(h, m - 1, k, work, u)
        else:
            capped_softmax(h, m - 1, k, work, u)
        for j in range(m - 1):
            total += u[j]
        for j in range(m - 1, label, -1):
            u[j] = u[j - 1]
        u[label] = -total
    return rows
