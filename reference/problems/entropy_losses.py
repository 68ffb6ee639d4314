"""The statements of `reference.entropy_losses`."""

from __future__ import annotations

from . import checks
from .checks.types import Array

__all__ = ["topk_entropy", "topk_entropy_gradient", "truncated_topk_entropy", "truncated_topk_entropy_gradient"]


def topk_entropy(scores: Array, y: Array, k: int = 1) -> tuple:
    r"""Returns the top-k entropy loss of each example.

    .. math::

        \max_u \;\; & \langle h, u \rangle - \sum_j u_j \log u_j - (1 - \sigma) \log(1 - \sigma) \\
        \text{subject to} \;\; & 0 \le u_j \le \sigma / k, \;\; \sigma = \sum_j u_j \le 1

    Here :math:`h_j = s_j - s_y` for the rivals j of the true class y, and 0 log 0 = 0.

    Parameters
    ----------
    scores : array, shape (n, m), float32 or float64
        Scores of all classes, one row an example.
    y : int array, shape (n,)
        True classes, 0..m-1.
    k : int in 1..m-1
        No rival may have more than the share 1/k of what all rivals have together.

    Returns
    -------
    loss : array, shape (n,), dtype of `scores`

    Raises
    ------
    ValueError
        `scores` is empty, not finite or not 2-D; `y` has another length or a label outside 0..m-1; `k` is outside
        1..m-1.

    References
    ----------
    * Paper (Lapin, Hein, Schiele: Loss Functions for Top-k Error, 2016), section 2.3.

    Examples
    --------
    >>> scores, y = np.array([[0.0, 3.0, -2.0]]), np.array([0])
    >>> [round(float(topk_entropy(scores, y, k)[0]), 4) for k in (1, 2)]
    [3.055, 1.458]
    """
    scores, y = checks.scores_and_labels(scores, y)
    return scores, y, checks.count(k, "k", scores.shape[1] - 1)


def topk_entropy_gradient(scores: Array, y: Array, k: int = 1) -> tuple:
    r"""Returns the gradient of `topk_entropy` in the scores of each example.

    .. math::

        \frac{\partial L}{\partial s_j} = u_j \;\; (j \ne y), \qquad
        \frac{\partial L}{\partial s_y} = -\sum_{j \ne y} u_j

    Here u is the maximiser that defines the loss.

    Parameters
    ----------
    scores, y, k
        As for `topk_entropy`.

    Returns
    -------
    gradient : array, shape (n, m), dtype of `scores`
        Each row sums to 0.

    Raises
    ------
    ValueError
        As for `topk_entropy`.

    References
    ----------
    * Paper (Lapin, Hein, Schiele: Loss Functions for Top-k Error, 2016), section 2.3.

    Examples
    --------
    >>> np.round(topk_entropy_gradient(np.array([[0.0, 3.0, -2.0]]), np.array([0]), k=2), 3)
    array([[-0.767,  0.384,  0.384]])
    """
    scores, y = checks.scores_and_labels(scores, y)
    return scores, y, checks.count(k, "k", scores.shape[1] - 1)


def truncated_topk_entropy(scores: Array, y: Array, k: int = 1) -> tuple:
    r"""Returns the truncated top-k entropy loss of each example.

    .. math::

        \log \left( 1 + \sum_j e^{s_j - s_y} \right)

    Here j runs over all rivals of the true class y but the k-1 with the highest scores.

    Parameters
    ----------
    scores : array, shape (n, m), float32 or float64
        Scores of all classes, one row an example.
    y : int array, shape (n,)
        True classes, 0..m-1.
    k : int in 1..m-1
        The loss forgives the k-1 rivals with the highest scores.

    Returns
    -------
    loss : array, shape (n,), dtype of `scores`

    Raises
    ------
    ValueError
        `scores` is empty, not finite or not 2-D; `y` has another length or a label outside 0..m-1; `k` is outside
        1..m-1.

    References
    ----------
    * Paper (Lapin, Hein, Schiele: Loss Functions for Top-k Error, 2016), section 2.4.

    Examples
    --------
    >>> scores, y = np.array([[0.0, 3.0, -2.0]]), np.array([0])
    >>> [round(float(truncated_topk_entropy(scores, y, k)[0]), 4) for k in (1, 2)]
    [3.055, 0.1269]
    """
    scores, y = checks.scores_and_labels(scores, y)
    return scores, y, checks.count(k, "k", scores.shape[1] - 1)


def truncated_topk_entropy_gradient(scores: Array, y: Array, k: int = 1) -> tuple:
    """Returns the gradient of `truncated_topk_entropy` in the scores of each example.

    It is the softmax over the classes that count, less 1 for the true class.

    Parameters
    ----------
    scores, y, k
        As for `truncated_topk_entropy`.

    Returns
    -------
    gradient : array, shape (n, m), dtype of `scores`
        0 for the k-1 rivals with the highest scores. Each row sums to 0.

    Raises
    ------
    ValueError
        As for `truncated_topk_entropy`.

    References
    ----------
    * Paper (Lapin, Hein, Schiele: Loss Functions for Top-k Error, 2016), section 2.4.

    Examples
    --------
    >>> np.round(truncated_topk_entropy_gradient(np.array([[0.0, 3.0, -2.0]]), np.array([0]), k=2), 3)
    array([[-0.119,  0.   ,  0.119]])
    """
    scores, y = checks.scores_and_labels(scores, y)
    return scores, y, checks.count(k, "k", scores.shape[1] - 1)
