"""The top-k error and the three top-k hinge losses of `reference.losses`, in one pass over each row."""

import numpy as np

from reference.problems import checks

from ._shared.examples import read_only
from ._shared.jit import kernel
from ._shared.order import heap_of_largest
from ._svm.dual_step import candidates_within_reach, dual_thresholds, smooth_hinge
from ._svm.hinge import ALPHA_INCLUSIVE, BETA, KIND_NUMBERS, hinge, rivals_margins

__all__ = ["topk_error", "topk_hinge", "topk_hinge_gradient"]


def topk_error(scores, y, k=1):
    """Returns 1 for an example if at least k rivals score as much as the true class or more, else 0.

    Parameters
    ----------
    scores : array, shape (n, m), float32 or float64
        Scores of all classes, one row an example.
    y : int array, shape (n,)
        True classes, 0..m-1.
    k : int in 1..m
        Number of guesses allowed. With m guesses no example is an error.

    Returns
    -------
    error : array, shape (n,), dtype of `scores`
        0 or 1.

    Raises
    ------
    ValueError
        `scores` is empty, not finite or not 2-D; `y` has another length or a label outside 0..m-1; `k` is outside 1..m.

    Notes
    -----
    The twin of `reference.topk_error`. A tie counts as an error. The cost is O(n m).

    References
    ----------
    * Paper 004 (Lapin, Hein, Schiele: Top-k Multiclass SVM, 2015), section 2.

    Examples
    --------
    >>> topk_error(np.array([[3.0, 2.0, 1.0], [1.0, 1.0, 0.0]]), np.array([1, 0]), k=1)
    array([1., 1.])
    """
    scores, y = checks.scores_and_labels(scores, y)
    k = checks.count(k, "k", scores.shape[1])
    return _errors(read_only(np.ascontiguousarray(scores)), y, k).astype(scores.dtype)


def topk_hinge(scores, y, k=1, kind="alpha", smoothing=0.0):
    r"""Returns the top-k hinge loss of each example, or the smooth one if `smoothing` is positive.

    .. math::

        \max_u \;\; & \langle h, u \rangle - \tfrac{\gamma}{2} \|u\|^2 \\
        \text{subject to} \;\; & u \in \Delta(1) \\
        \text{where} \;\; & h_j = 1 + s_j - s_y

    Here s are the scores of the example, y is its class, j runs over the other classes (the rivals), :math:`\gamma` is
    `smoothing`, and :math:`\Delta(1)` is the dual domain of the `kind`.

    Parameters
    ----------
    scores : array, shape (n, m), float32 or float64
        Scores of all classes, one row an example.
    y : int array, shape (n,)
        True classes, 0..m-1.
    k : int in 1..m-1
        Number of rivals over which the loss averages.
    kind : {"alpha", "beta", "alpha_inclusive"}
        Which of the three losses. The Notes of `reference.topk_hinge` define them.
    smoothing : float, >= 0
        :math:`\gamma`. The smooth loss is below the hinge by at most :math:`\gamma / (2 k)`.

    Returns
    -------
    loss : array, shape (n,), dtype of `scores`

    Raises
    ------
    ValueError
        `scores` is empty, not finite or not 2-D; `y` has another length or a label outside 0..m-1; `k` is outside
        1..m-1; `kind` is none of the three; `smoothing` is negative, or too small to divide by.

    Notes
    -----
    The twin of `reference.topk_hinge`. A heap holds the k largest values :math:`h_j` of a row. Usually few values enter
    it: O(n m) for small k, O(n m log k) in general. With smoothing, a row with a positive value is projected, in the
    same time for small k and in O(m log m) for k > 24.

    References
    ----------
    * Paper 004 (Lapin, Hein, Schiele: Top-k Multiclass SVM, 2015), sections 2.2 and 2.3.
    * Paper (Lapin, Hein, Schiele: Loss Functions for Top-k Error, 2016), section 2, for the smooth losses.

    Examples
    --------
    >>> scores, y = np.array([[0.0, 3.0, -2.0]]), np.array([0])
    >>> [float(topk_hinge(scores, y, k=2, kind=kind)[0]) for kind in ("alpha", "alpha_inclusive", "beta")]
    [1.5, 2.0, 2.0]
    >>> [float(topk_hinge(scores, y, k=2, kind=kind, smoothing=1.0)[0]) for kind in ("alpha", "beta")]
    [1.25, 1.875]
    """
    scores, y = checks.scores_and_labels(scores, y)
    k, kind, gamma = checks.topk_loss(k, kind, smoothing, scores.shape[1])
    rows = read_only(np.ascontiguousarray(scores))
    if gamma == 0:
        losses = _hinges(rows, y, KIND_NUMBERS[kind], k)
    else:
        losses = _smooth_hinges(rows, y, KIND_NUMBERS[kind], k, gamma)
    return checks.in_range(losses, scores.dtype, "the loss")


def topk_hinge_gradient(scores, y, k=1, kind="alpha", smoothing=0.0):
    r"""Returns the gradient of `topk_hinge` in the scores of each example, or a subgradient at a kink.

    .. math::

        \frac{\partial L}{\partial s_j} & = u_j \;\; (j \ne y), \qquad
        \frac{\partial L}{\partial s_y} = -\sum_{j \ne y} u_j \\
        u & = \arg\max_{u \in \Delta(1)} \; \langle h, u \rangle - \tfrac{\gamma}{2} \|u\|^2

    The symbols are those of `topk_hinge`.

    Parameters
    ----------
    scores, y, k, kind, smoothing
        As for `topk_hinge`.

    Returns
    -------
    gradient : array, shape (n, m), dtype of `scores`
        Each row sums to 0. Without smoothing, it is the subgradient that the Notes describe.

    Raises
    ------
    ValueError
        As for `topk_hinge`.

    Notes
    -----
    The twin of `reference.topk_hinge_gradient`, whose Notes name the subgradient at a kink. The cost is O(n m) for
    small k, and O(n m log m) in general.

    References
    ----------
    * Paper 004 (Lapin, Hein, Schiele: Top-k Multiclass SVM, 2015), section 2.
    * Paper (Lapin, Hein, Schiele: Loss Functions for Top-k Error, 2016), section 2, for the smooth losses.

    Examples
    --------
    >>> scores, y = np.array([[0.0, 3.0, -2.0]]), np.array([0])
    >>> topk_hinge_gradient(scores, y, k=2, kind="beta")
    array([[-0.5,  0.5,  0. ]])
    >>> topk_hinge_gradient(scores, y, k=2, kind="beta", smoothing=10.0)
    array([[-0.4,  0.4,  0. ]])
    """
    scores, y = checks.scores_and_labels(scores, y)
    k, kind, gamma = checks.topk_loss(k, kind, smoothing, scores.shape[1])
    gradient = np.empty(scores.shape)
    _write_gradients(read_only(np.ascontiguousarray(scores)), y, KIND_NUMBERS[kind], k, gamma, gradient)
    return gradient.astype(scores.dtype, copy=False)


@kernel
def _errors(scores, y, k):
    """Returns the top-k error of each row."""
    errors = np.zeros(len(y))
    for i in range(len(y)):
        ahead = -1  # the loop counts the true class itself, too
        for score in scores[i]:
            ahead += score >= scores[i, y[i]]
        errors[i] = ahead >= k
    return errors


@kernel
def _hinges(scores, y, kind, k):
    """Returns the top-k hinge loss of each row."""
    n, m = scores.shape
    losses, margins, work = np.empty(n), np.empty(m), np.empty(m)
    for i in range(n):
        rivals_margins(scores[i], y[i], margins)
        losses[i] = hinge(margins, m - 1, kind, k, work)
    return losses


@kernel
def _smooth_hinges(scores, y, kind, k, smoothing):
    """Returns the smooth top-k hinge loss of each row."""
    n, m = scores.shape
    losses, margins, work = np.empty(n), np.empty(m), np.empty(m)
    for i in range(n):
        rivals_margins(scores[i], y[i], margins)
        losses[i] = smooth_hinge(margins, m - 1, kind, k, smoothing, work)
    return losses


@kernel
def _write_gradients(scores, y, kind, k, smoothing, gradient):
    """Write the gradient of each row, or its subgradient without smoothing."""
    n, m = scores.shape
    u, work = np.empty(m), np.empty(m)
    for i in range(n):
        rivals_margins(scores[i], y[i], u)
        if smoothing > 0:
            _maximiser_in_place(u[: m - 1], kind, k, smoothing, work)
        else:
            _subgradient_in_place(u[: m - 1], kind, k, work)
        total, label = 0.0, y[i]
        for j in range(m - 1):
            total += u[j]
            gradient[i, j if j < label else j + 1] = u[j]
        gradient[i, label] = -total


@kernel
def _maximiser_in_place(margins, kind, k, smoothing, work):
    """Replace the margins by the maximiser u of the smooth loss."""
    size = candidates_within_reach(margins, len(margins), k, smoothing / k, work)
    reference, t, cap = dual_thresholds(work, size, kind, k, smoothing, 0.0)
    for j in range(len(margins)):
        margins[j] = min(max(margins[j] - reference - t, 0.0), cap) / smoothing


@kernel
def _subgradient_in_place(margins, kind, k, work):
    """Replace the margins by the subgradient of the hinge that `topk_hinge_gradient` names."""
    is_zero, top = hinge(margins, len(margins), kind, k, work) <= 0, work[:k]
    heap_of_largest(margins, len(margins), top)
    kth = top[0]
    chosen = k - 1 if kind == ALPHA_INCLUSIVE and kth <= 0 else k
    for j in range(len(margins)):
        chosen -= margins[j] > kth  # those equal to the k-th take the places that are left
    for j in range(len(margins)):
        counts, ties = margins[j] > kth, margins[j] == kth
        if ties and chosen > 0:
            counts, chosen = True, chosen - 1
        counts &= not (is_zero or (kind == BETA and margins[j] <= 0))
        margins[j] = 1 / k if counts else 0.0
