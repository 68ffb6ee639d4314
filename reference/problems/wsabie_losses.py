"""The statements of `reference.wsabie_losses`."""

from __future__ import annotations

from typing import NamedTuple

from . import checks
from .checks.types import Array, Floats, Matrix
from .checks.wsabie import LabelSets

__all__ = ["class_confusion_loss", "pairwise_loss", "warp_loss"]


class PairwiseProblem(NamedTuple):
    """What `pairwise_loss` reads."""

    scores: Floats
    sets: LabelSets
    margin: float


class WarpProblem(NamedTuple):
    """What `warp_loss` reads."""

    scores: Floats
    sets: LabelSets
    margin: float
    weighting: str
    last_violators: int


def class_confusion_loss(predicted: Array, y: Array) -> tuple:
    r"""Returns the mean class-confusion loss of predictions.

    .. math::

        \tfrac1n \sum_{t=1}^n [c_t \ne y_t] \cdot
        \frac{\# \{ i : y_i = y_t, \; c_i \ne c_t \}}{\# \{ i : y_i = y_t \}}

    So a mistake costs the share of the examples of class :math:`y_t` that are not classified as :math:`c_t`.

    Parameters
    ----------
    predicted : int array, shape (n,)
        :math:`c_t`, the class that each example is classified as, 0..m-1.
    y : int array, shape (n,)
        The label of each example, 0..m-1.

    Returns
    -------
    loss : float, in 0..1

    Raises
    ------
    ValueError
        An argument is empty, of the wrong shape, or does not hold integers >= 0.

    References
    ----------
    * Paper 003 (Gupta, Bengio, Weston: Training Highly Multiclass Classifiers, 2014), equations (6) and (7), averaged
      as in equation (4).

    Examples
    --------
    >>> class_confusion_loss(np.array([1] + 10 * [3]), np.full(11, 3))  # 10/11 for one example of 11
    0.08264462809917356
    """
    y, predicted = checks.labels_and_predictions(y, predicted)
    return predicted, y


def pairwise_loss(scores: Array, Y: Matrix, *, margin: float = 1.0) -> PairwiseProblem:
    r"""Returns the mean hinge over examples, their labels and all other classes.

    .. math::

        \text{mean over examples, labels } p \text{ and other classes } q \text{ of } \;
        \max(0, \; \text{margin} - f_p + f_q)

    Here :math:`f_g` is the score of class g. Each example has the same share of the mean.

    Parameters
    ----------
    scores : array, shape (n, m), float32 or float64
        The score of each class, one row an example.
    Y : int array, shape (n,), or 0/1 array or scipy CSR or CSC matrix, shape (n, m)
        The label of each example, 0..m-1; or 1 where an example (row) has a class (column) as a label. Examples with no
        label, or with all labels, are left out.
    margin : float, >= 0

    Returns
    -------
    loss : float

    Raises
    ------
    ValueError
        An argument is empty, not finite or of the wrong shape, or no example has a label and lacks another, or the
        loss overflows.

    References
    ----------
    * Paper 003 (Gupta, Bengio, Weston: Training Highly Multiclass Classifiers, 2014), equation (8), divided by n.

    Examples
    --------
    >>> pairwise_loss(np.array([[2.0, 1.5, 0.0]]), np.array([0]))
    0.25
    """
    return PairwiseProblem(*checks.scores_and_sets(scores, Y, margin))


def warp_loss(
    scores: Array, Y: Matrix, *, margin: float = 1.0, weighting: str = "harmonic", last_violators: int = 0
) -> WarpProblem:
    r"""Returns the mean over examples of the sum of weighted hinges over labels and violators.

    .. math::

        \tfrac1n \sum_{t=1}^n \sum_{p \text{ a label of } t} \; \sum_{q \text{ a violator of } p}
        w \, \max(0, \; \text{margin} - f_p + f_q)

    Here :math:`f_g` is the score of class g. Class q violates the margin for label p if the hinge is positive and q is
    no label.

    With `last_violators` Q > 0, some violators are left out. Each class has last violators: the classes that violated
    its margin at the last example that had it as a label. A violator is left out if at most Q steps lead to it from the
    label, each from a class to one of its last violators.

    Parameters
    ----------
    scores : array, shape (n, m), float32 or float64
        The score of each class, one row an example, in the order in which the examples are seen.
    Y : int array, shape (n,), or 0/1 array or scipy CSR or CSC matrix, shape (n, m)
        The label of each example, 0..m-1; or 1 where an example (row) has a class (column) as a label. Examples with no
        label, or with all labels, are left out.
    margin : float, >= 0
    weighting : {"harmonic", "uniform"}
        w: 1 + 1/2 + ... + 1/r, where r is the number of violators of the label (those left out included), or 1.
    last_violators : int, >= 0
        Q.

    Returns
    -------
    loss : float

    Raises
    ------
    ValueError
        An argument is empty, not finite or of the wrong shape, or no example has a label and lacks another, or the
        loss overflows.

    References
    ----------
    * Paper 003 (Gupta, Bengio, Weston: Training Highly Multiclass Classifiers, 2014), equations (11) to (13) for Q = 0,
      (14) for Q = 1, and (15) for larger Q, each divided by n.

    Examples
    --------
    >>> scores, y = np.array([[1.0, 1.0, 0.0], [0.5, 0.0, -1.0]]), np.array([0, 0])
    >>> warp_loss(scores, y), warp_loss(scores, y, last_violators=1)
    (0.75, 0.5)
    """
    scores, sets, margin = checks.scores_and_sets(scores, Y, margin)
    weighting = checks.choice(weighting, "weighting", checks.WEIGHTINGS)
    return WarpProblem(scores, sets, margin, weighting, checks.count(last_violators, "last_violators", smallest=0))
