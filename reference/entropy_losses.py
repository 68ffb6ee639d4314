"""The top-k entropy and the truncated top-k entropy of rows of scores, and their gradients.

Both are smooth relatives of the top-k hinge, and both are the cross-entropy of the softmax for k = 1. The first is
convex. The second bounds the top-k error closely, and is not convex.
"""

from __future__ import annotations

import numpy as np

from .problems import checks
from .problems import entropy_losses as problems
from .problems.checks.types import Array, Floats

__all__ = ["topk_entropy", "topk_entropy_gradient", "truncated_topk_entropy", "truncated_topk_entropy_gradient"]


@checks.documented_by(problems.topk_entropy)
def topk_entropy(scores: Array, y: Array, k: int = 1) -> Floats:
    r"""Returns the top-k entropy loss of each example.

    .. math::

        \max_u \;\; & \langle h, u \rangle - \sum_j u_j \log u_j - (1 - \sigma) \log(1 - \sigma) \\
        \text{subject to} \;\; & 0 \le u_j \le \sigma / k, \;\; \sigma = \sum_j u_j \le 1

    Here :math:`h_j = s_j - s_y` for the rivals j of the true class y, and 0 log 0 = 0.

    Notes
    -----
    The maximum has two stages. Let :math:`u = \sigma p`, where p sums to 1. For every :math:`\sigma` the best p is that
    of

    .. math::

        V = \max_p \;\; & \langle h, p \rangle - \sum_j p_j \log p_j \\
        \text{subject to} \;\; & 0 \le p_j \le 1 / k, \;\; \sum_j p_j = 1

    Then :math:`\sigma = 1 / (1 + e^{-V})`, and the loss is :math:`\log(1 + e^V)`. The g largest entries of h have
    :math:`p_j = 1/k`. The others have the share 1 - g/k in proportion to :math:`e^{h_j}`. g is the smallest number such
    that none of them exceeds 1/k.

    For k = 1, the loss is the cross-entropy of the softmax. For k = m-1, it is :math:`\log(1 + (m - 1) e^{\bar h})`
    with the mean :math:`\bar h` of h. It is smooth, its gradient has the Lipschitz constant 1/2 at most, and it does
    not increase with k. The cost is O(n m (k + log m)).
    """
    scores, y, k = problems.topk_entropy(scores, y, k)
    values, _ = _capped_softmax(_differences(scores, y), k)
    return checks.in_range(np.logaddexp(0, values), scores.dtype, "the loss")


@checks.documented_by(problems.topk_entropy_gradient)
def topk_entropy_gradient(scores: Array, y: Array, k: int = 1) -> Floats:
    r"""Returns the gradient of `topk_entropy` in the scores of each example.

    .. math::

        \frac{\partial L}{\partial s_j} = u_j \;\; (j \ne y), \qquad
        \frac{\partial L}{\partial s_y} = -\sum_{j \ne y} u_j

    Here u is the maximiser that defines the loss.

    Notes
    -----
    The maximiser u is unique, so that the loss has a gradient everywhere, by Danskin's theorem. The cost is O(n m (k +
    log m)).
    """
    scores, y, k = problems.topk_entropy_gradient(scores, y, k)
    values, p = _capped_softmax(_differences(scores, y), k)
    sigma = np.exp(values - np.logaddexp(0, values))
    return _rows(sigma[:, None] * p, y).astype(scores.dtype)


@checks.documented_by(problems.truncated_topk_entropy)
def truncated_topk_entropy(scores: Array, y: Array, k: int = 1) -> Floats:
    r"""Returns the truncated top-k entropy loss of each example.

    .. math::

        \log \left( 1 + \sum_j e^{s_j - s_y} \right)

    Here j runs over all rivals of the true class y but the k-1 with the highest scores.

    Notes
    -----
    The loss is at least log 2 if the top-k error is 1. For k = 1, it is the cross-entropy of the softmax. For k > 1, it
    is not convex: it is the smallest of several smooth losses, one for each choice of the rivals that are forgiven. The
    cost is O(n m log m).
    """
    scores, y, k = problems.truncated_topk_entropy(scores, y, k)
    losses, _ = _truncated_softmax(_differences(scores, y), k)
    return checks.in_range(losses, scores.dtype, "the loss")


@checks.documented_by(problems.truncated_topk_entropy_gradient)
def truncated_topk_entropy_gradient(scores: Array, y: Array, k: int = 1) -> Floats:
    """Returns the gradient of `truncated_topk_entropy` in the scores of each example.

    It is the softmax over the classes that count, less 1 for the true class.

    Notes
    -----
    The loss has a kink where the rivals k-1 and k have equal scores. There, the result is the gradient of one of the
    smooth losses that meet: of rivals with equal scores, those with the lowest index are forgiven. The cost is O(n m
    log m).
    """
    scores, y, k = problems.truncated_topk_entropy_gradient(scores, y, k)
    _, p = _truncated_softmax(_differences(scores, y), k)
    return _rows(p, y).astype(scores.dtype)


def _differences(scores, y):
    """Returns h (n, m-1): the scores of the rivals less that of the true class, in float64."""
    exact = scores.astype(np.float64)
    rivals = exact[np.arange(scores.shape[1]) != y[:, None]].reshape(len(y), -1)
    return rivals - np.take_along_axis(exact, y[:, None], axis=1)


def _rows(u, y):
    """Returns rows (n, m) with u for the rivals and -sum u for the true class."""
    rows = np.empty((len(y), u.shape[1] + 1))
    rows[np.arange(rows.shape[1]) != y[:, None]] = u.ravel()
    np.put_along_axis(rows, y[:, None], -u.sum(axis=1, keepdims=True), axis=1)
    return rows


def _capped_softmax(h, k):
    """argmax_p <h, p> - sum_j p_j log p_j  subject to  0 <= p_j <= 1/k, sum p = 1. Returns (the maxima V, p)."""
    order = np.argsort(-h, axis=1, kind="stable")
    z = np.take_along_axis(h, order, axis=1)
    values, p, todo = np.empty(len(h)), np.empty(h.shape), np.full(len(h), True)
    for g in range(k):
        below = z[:, g:] - z[:, [g]]  # large scores that are close keep their differences
        rest = np.logaddexp.reduce(below, axis=1)
        fits = todo & ((rest >= np.log(k - g)) | (g == k - 1))
        share = 1 - g / k
        entropies = share * (z[:, g] + (rest - np.log(share))) + g / k * np.log(k)
        values[fits] = z[fits, :g].sum(axis=1) / k + entropies[fits]
        p[fits, :g] = 1 / k
        p[fits, g:] = share * np.exp(below[fits] - rest[fits, None])
        todo &= ~fits
    in_order = np.empty(h.shape)
    np.put_along_axis(in_order, order, p, axis=1)
    return values, in_order


def _truncated_softmax(h, k):
    """Returns (the losses, the probabilities of the rivals), where the k-1 largest of each row do not count."""
    order = np.argsort(-h, axis=1, kind="stable")
    counted = h.copy()
    np.put_along_axis(counted, order[:, : k - 1], -np.inf, axis=1)
    largest = np.maximum(counted.max(axis=1), 0)  # large scores that are close keep their differences to it
    rest = np.logaddexp(-largest, np.logaddexp.reduce(counted - largest[:, None], axis=1))
    return largest + rest, np.exp(counted - largest[:, None] - rest[:, None])
