"""The top-k error and the three top-k hinge losses of `reference.losses`, in one pass over each row."""

import numpy as np

from reference import contract

from ._shared.examples import read_only
from ._shared.jit import kernel
from ._svm.hinge import KIND_NUMBERS, hinge, rivals_margins

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
    The twin of `reference.topk_error`. A tie counts as an error. O(n m).
    Source: 004, section 2.

    Examples
    --------
    >>> topk_error(np.array([[3.0, 2.0, 1.0], [1.0, 1.0, 0.0]]), np.array([1, 0]), k=1)
    array([1., 1.])
    """
    scores, y = contract.scores_and_labels(scores, y)
    k = contract.count(k, "k", scores.shape[1])
    return _errors(read_only(np.ascontiguousarray(scores)), y, k).astype(scores.dtype)


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
    The twin of `reference.topk_hinge`. A heap holds the k largest margins of a row. Usually few margins enter it:
    O(n m) for small k, O(n m log k) in general.
    Source: 004, sections 2.2 and 2.3.

    Examples
    --------
    >>> scores, y = np.array([[0.0, 3.0, -2.0]]), np.array([0])
    >>> [float(topk_hinge(scores, y, k=2, kind=kind)[0]) for kind in ("alpha", "alpha_inclusive", "beta")]
    [1.5, 2.0, 2.0]
    """
    scores, y = contract.scores_and_labels(scores, y)
    k = contract.count(k, "k", scores.shape[1] - 1)
    kind = KIND_NUMBERS[contract.choice(kind, "kind", contract.KINDS)]
    return _hinges(read_only(np.ascontiguousarray(scores)), y, kind, k).astype(scores.dtype)


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
