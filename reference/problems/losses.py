"""The statements of `reference.losses`."""

from __future__ import annotations

from . import checks
from .checks.types import Array

__all__ = ["topk_error", "topk_hinge", "topk_hinge_gradient"]


def topk_error(scores: Array, y: Array, k: int = 1) -> tuple:
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

    References
    ----------
    * Paper 004 (Lapin, Hein, Schiele: Top-k Multiclass SVM, 2015), section 2.

    Examples
    --------
    >>> topk_error(np.array([[3.0, 2.0, 1.0], [1.0, 1.0, 0.0]]), np.array([1, 0]), k=1)
    array([1., 1.])
    """
    scores, y = checks.scores_and_labels(scores, y)
    return scores, y, checks.count(k, "k", scores.shape[1])


def topk_hinge(scores: Array, y: Array, k: int = 1, kind: str = "alpha", smoothing: float = 0.0) -> tuple:
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

    References
    ----------
    * Paper 004 (Lapin, Hein, Schiele: Top-k Multiclass SVM, 2015), equations (1) for k = 1, (3)
      and (5) with sections 2.2 and 2.3.
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
    k, kind, smoothing = checks.topk_loss(k, kind, smoothing, scores.shape[1])
    return scores, y, k, kind, smoothing


def topk_hinge_gradient(
    scores: Array, y: Array, k: int = 1, kind: str = "alpha", smoothing: float = 0.0
) -> tuple:  # fmt: skip
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
    return topk_hinge(scores, y, k, kind, smoothing)
