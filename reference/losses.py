"""The top-k error and the three top-k hinge losses (004, sections 2.1 to 2.3 and 5) of rows of scores."""

import numpy as np

from . import contract

__all__ = ["topk_error", "topk_hinge"]


def topk_error(scores, y, k=1):
    """1 if at least k rivals score as much as the true class or more, else 0.

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
    A tie counts as an error, so that constant scores do not pass for a classifier. (The paper's err_k has a strict
    inequality, for which constant scores have no errors.) O(n m).
    Source: 004, section 2.

    Examples
    --------
    >>> topk_error(np.array([[3.0, 2.0, 1.0], [1.0, 1.0, 0.0]]), np.array([1, 0]), k=1)
    array([1., 1.])
    """
    scores, y = contract.scores_and_labels(scores, y)
    k = contract.count(k, "k", scores.shape[1])
    ahead = _rivals(scores, y) >= _true_scores(scores, y)
    return (ahead.sum(axis=1) >= k).astype(scores.dtype)


def topk_hinge(scores, y, k=1, kind="alpha"):
    """max_x <h, x>  subject to  x in the dual domain of the kind: the top-k hinge loss, with h_j = 1 + s_j - s_y.

    Parameters
    ----------
    scores : array, shape (n, m), float32 or float64
        Scores of all classes, one row an example.
    y : int array, shape (n,)
        True classes, 0..m-1.
    k : int in 1..m-1
        Number of rivals over which the loss averages.
    kind : {"alpha", "beta", "alpha_inclusive"}
        Which of the three losses; the Notes of `reference.topk_hinge` define them.

    Returns
    -------
    loss : array, shape (n,), dtype of `scores`

    Raises
    ------
    ValueError
        `scores` is empty, not finite or not 2-D; `y` has another length or a label outside 0..m-1; `k` is outside
        1..m-1; `kind` is none of the three.

    Notes
    -----
    Let h_[1] >= h_[2] >= ... be the values h_j of the m-1 rivals, in descending order.

    * alpha: max(0, (h_[1] + ... + h_[k]) / k), the loss that belongs to the dual of Theorem 1;
    * beta: (max(0, h_[1]) + ... + max(0, h_[k])) / k, eq. (5), after Usunier;
    * alpha_inclusive: eq. (3) as printed. Its k largest values are taken over all m classes; the true class has 0.

    For each example, max(0, h_[k]) <= alpha <= alpha_inclusive <= beta. For k = 1, the three are the loss of the
    multiclass SVM. O(n m log m).
    Source: 004, sections 2.2 and 2.3; its Proposition 3 confuses alpha_inclusive with alpha.

    Examples
    --------
    >>> scores, y = np.array([[0.0, 3.0, -2.0]]), np.array([0])
    >>> [float(topk_hinge(scores, y, k=2, kind=kind)[0]) for kind in ("alpha", "alpha_inclusive", "beta")]
    [1.5, 2.0, 2.0]
    """
    scores, y = contract.scores_and_labels(scores, y)
    k = contract.count(k, "k", scores.shape[1] - 1)
    kind = contract.choice(kind, "kind", contract.KINDS)
    exact = scores.astype(np.float64)
    margins = 1 + _rivals(exact, y) - _true_scores(exact, y)
    if kind == "alpha_inclusive":
        margins = np.column_stack([margins, np.zeros(len(y))])
    largest = np.sort(margins, axis=1)[:, ::-1][:, :k]
    if kind == "beta":
        largest = np.maximum(largest, 0)
    return np.maximum(largest.mean(axis=1), 0).astype(scores.dtype)


def _true_scores(scores, y):
    """Returns the scores (n, 1) of the true classes."""
    return np.take_along_axis(scores, y[:, None], axis=1)


def _rivals(scores, y):
    """Returns the scores (n, m-1) of the classes other than the true one, in their order."""
    n, m = scores.shape
    return scores[np.arange(m) != y[:, None]].reshape(n, m - 1)
