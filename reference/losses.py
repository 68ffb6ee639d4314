r"""The top-k error and the three top-k hinge losses of rows of scores.

A hinge has kinks. Smoothing removes them: subtract :math:`\tfrac{\gamma}{2} \|u\|^2` in the maximum that defines the
loss. The maximiser u is then unique. It is a projection onto the dual domain, and it is the gradient.

Source: Paper 004 (Lapin, Hein, Schiele: Top-k Multiclass SVM, 2015), sections 2.1 to 2.3 and 5.
"""

from __future__ import annotations

import numpy as np

from ._projections.knapsack import knapsack_row
from .problems import checks
from .problems import losses as problems
from .problems.checks.types import Array, Floats
from .projections import NO_RADIUS, _capped_simplex, _topk_simplex

__all__ = ["topk_error", "topk_hinge", "topk_hinge_gradient"]


@checks.documented_by(problems.topk_error)
def topk_error(scores: Array, y: Array, k: int = 1) -> Floats:
    """Returns 1 for an example if at least k rivals score as much as the true class or more, else 0.

    Notes
    -----
    A tie counts as an error, so that constant scores do not pass for a classifier. (The paper's top-k error has a
    strict inequality, for which constant scores have no errors.) The cost is O(n m).
    """
    scores, y, k = problems.topk_error(scores, y, k)
    ahead = _rivals(scores, y) >= _true_scores(scores, y)
    return (ahead.sum(axis=1) >= k).astype(scores.dtype)


@checks.documented_by(problems.topk_hinge)
def topk_hinge(scores: Array, y: Array, k: int = 1, kind: str = "alpha", smoothing: float = 0.0) -> Floats:
    r"""Returns the top-k hinge loss of each example, or the smooth one if `smoothing` is positive.

    .. math::

        \max_u \;\; & \langle h, u \rangle - \tfrac{\gamma}{2} \|u\|^2 \\
        \text{subject to} \;\; & u \in \Delta(1) \\
        \text{where} \;\; & h_j = 1 + s_j - s_y

    Here s are the scores of the example, y is its class, j runs over the other classes (the rivals), :math:`\gamma` is
    `smoothing`, and :math:`\Delta(1)` is the dual domain of the `kind`.

    Notes
    -----
    Let :math:`h_{[1]} \ge h_{[2]} \ge \ldots` be the values :math:`h_j` of the m-1 rivals, in descending order. Without
    smoothing, the loss is

    * alpha: :math:`\max(0, (h_{[1]} + \ldots + h_{[k]}) / k)`, the loss that belongs to the dual of Theorem 1;
    * beta: :math:`(\max(0, h_{[1]}) + \ldots + \max(0, h_{[k]})) / k`, equation (5), after Usunier;
    * alpha_inclusive: equation (3) as printed. Its k largest values are taken over all m classes; the true class has 0.

    For each example, :math:`\max(0, h_{[k]})` <= alpha <= alpha_inclusive <= beta. For k = 1, the three are the loss of
    the multiclass SVM. They bound the top-k error. The smooth losses do so only after :math:`\gamma / (2 k)` is added.
    The paper's Proposition 3 confuses alpha_inclusive with alpha.

    The dual domain is :math:`\Delta(r) = \{u \ge 0, \sum_j u_j \le r, u_j \le c\}`. Its upper bound c is
    :math:`\tfrac1k \sum_j u_j` for alpha, r/k for beta, and the smaller of r/k and :math:`\tfrac{1}{k-1} \sum_j u_j`
    for alpha_inclusive. The smooth loss is the Moreau envelope of the hinge L:

    .. math::

        L_\gamma(h) = \min_z \; L(z) + \tfrac{1}{2 \gamma} \|h - z\|^2, \quad \text{with the minimum at } z = h - p

    Here p is the projection of h onto :math:`\Delta(\gamma)`, and :math:`u = p / \gamma`. The code takes this form,
    because it loses no digits if :math:`\gamma` is small beside the scores. The cost is O(n m log m), and O(n m (log m
    + k)) with smoothing.
    """
    scores, y, k, kind, gamma = problems.topk_hinge(scores, y, k, kind, smoothing)
    margins = _margins(scores, y)
    if gamma == 0:
        losses = _hinges(margins, k, kind)
    else:
        p = np.array([_project_dual_domain(row, k, kind, gamma, bias=0.0) for row in margins])
        losses = _hinges(margins - p, k, kind) + (p * (p / gamma)).sum(axis=1) / 2
    return checks.in_range(losses, scores.dtype, "the loss")


@checks.documented_by(problems.topk_hinge_gradient)
def topk_hinge_gradient(
    scores: Array, y: Array, k: int = 1, kind: str = "alpha", smoothing: float = 0.0
) -> Floats:  # fmt: skip
    r"""Returns the gradient of `topk_hinge` in the scores of each example, or a subgradient at a kink.

    .. math::

        \frac{\partial L}{\partial s_j} & = u_j \;\; (j \ne y), \qquad
        \frac{\partial L}{\partial s_y} = -\sum_{j \ne y} u_j \\
        u & = \arg\max_{u \in \Delta(1)} \; \langle h, u \rangle - \tfrac{\gamma}{2} \|u\|^2

    The symbols are those of `topk_hinge`.

    Notes
    -----
    With smoothing, the maximiser is unique: :math:`u = p / \gamma`, where p is the projection of h onto
    :math:`\Delta(\gamma)`. So the loss is differentiable. Its gradient changes by at most :math:`1 / \gamma` times the
    change of h.

    A hinge has no gradient at a kink. Then u is the following one of its maximisers. Rivals are ranked by h, and of
    equal ones the first goes first. The entries of u are 1/k or 0. They are 0 for all rivals if the loss is 0.
    Otherwise they are 1/k for

    * alpha: the k first rivals;
    * beta: those of the k first rivals with :math:`h_j > 0`;
    * alpha_inclusive: the k - 1 first rivals, and the k-th if its :math:`h_j > 0`.

    The cost is O(n m log m), and O(n m (log m + k)) with smoothing.
    """
    scores, y, k, kind, gamma = problems.topk_hinge_gradient(scores, y, k, kind, smoothing)
    margins = _margins(scores, y)
    if gamma == 0:
        u = _subgradients(margins, k, kind)
    else:
        u = np.array([_project_dual_domain(row, k, kind, gamma, bias=0.0) for row in margins]) / gamma
    gradient = np.empty(scores.shape)
    gradient[_are_rivals(scores, y)] = u.ravel()
    gradient[np.arange(len(y)), y] = -u.sum(axis=1)
    return gradient.astype(scores.dtype)


def _project_dual_domain(b, k, kind, radius, bias):
    """argmin_x 1/2 |b - x|^2 + bias/2 (sum x)^2  subject to  x in the dual domain of the kind. `b` is (d,).

    The domain of alpha_inclusive is {x >= 0, sum x <= r, x_j <= min(r/k, sum x / (k-1))}. The two caps meet where
    sum x is r (k-1)/k. Below it is the top-(k-1) cone, above it the capped simplex. The objective is convex in sum x:
    if the best sum of neither part is inside it, then the answer is where the parts meet.
    """
    if kind == "beta":
        return _capped_simplex(b, radius / k, radius, bias)
    if kind == "alpha" or k == 1:
        return _topk_simplex(b, k, radius, bias)
    corner = radius * (k - 1) / k
    x = _topk_simplex(b, k - 1, NO_RADIUS, bias)
    if x.sum() <= corner:
        return x
    x = _capped_simplex(b, radius / k, radius, bias)
    if x.sum() >= corner:
        return x
    return knapsack_row(b, corner, np.zeros(len(b)), np.full(len(b), radius / k), np.ones(len(b)))[0]


def _margins(scores, y):
    """Returns h_j = 1 + s_j - s_y of the rivals, (n, m-1), in float64."""
    exact = scores.astype(np.float64)
    return 1 + (_rivals(exact, y) - _true_scores(exact, y))  # large scores that are close keep the 1


def _hinges(margins, k, kind):
    """Returns the top-k hinge (n,) of the margins."""
    if kind == "alpha_inclusive":
        margins = np.column_stack([margins, np.zeros(len(margins))])
    largest = np.sort(margins, axis=1)[:, ::-1][:, :k]
    if kind == "beta":
        largest = np.maximum(largest, 0)
    return np.maximum(largest.mean(axis=1), 0)


def _subgradients(margins, k, kind):
    """Returns a maximiser u (n, m-1) of <margins, u> over the dual domain: the one that `topk_hinge_gradient` names."""
    first = np.argsort(-margins, axis=1, kind="stable")[:, :k]
    h = np.take_along_axis(margins, first, axis=1)
    counts = np.full(h.shape, True)
    if kind == "beta":
        counts = h > 0
    elif kind == "alpha_inclusive":
        counts[:, -1] = h[:, -1] > 0
    counts &= np.where(counts, h, 0).sum(axis=1, keepdims=True) > 0
    u = np.zeros(margins.shape)
    np.put_along_axis(u, first, counts / k, axis=1)
    return u


def _true_scores(scores, y):
    """Returns the scores (n, 1) of the true classes."""
    return np.take_along_axis(scores, y[:, None], axis=1)


def _rivals(scores, y):
    """Returns the scores (n, m-1) of the classes other than the true one, in their order."""
    n, m = scores.shape
    return scores[_are_rivals(scores, y)].reshape(n, m - 1)


def _are_rivals(scores, y):
    """Returns (n, m): whether each class is another than the true one."""
    return np.arange(scores.shape[1]) != y[:, None]
