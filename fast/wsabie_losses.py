"""The twin of `reference.wsabie_losses`: mistakes are counted by sorting, violators by compiled loops."""

import numpy as np

from reference.problems import checks

from ._shared.examples import read_only
from ._wsabie.violations import mean_hinges, weighted_hinges

__all__ = ["class_confusion_loss", "pairwise_loss", "warp_loss"]


def class_confusion_loss(predicted, y):
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

    Notes
    -----
    The twin of `reference.class_confusion_loss`: pairs of label and prediction are sorted and counted. The cost is O(n
    log n).

    The usual loss counts a mistake as 1, which estimates :math:`P(Y \ne c(x))` from one label. The share estimates it
    with less noise where classes are often confused. If one of eleven examples is classified as class 1, the mistake
    costs 10/11; if all eleven are, the mistakes cost nothing.

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
    order = np.lexsort((predicted, y))
    y, predicted = y[order], predicted[order]
    new_label = np.append(True, y[1:] != y[:-1])
    new_pair = np.append(True, (predicted[1:] != predicted[:-1]) | new_label[1:])
    labelled = _lengths(new_label)[np.cumsum(new_label) - 1]
    alike = _lengths(new_pair)[np.cumsum(new_pair) - 1]
    return float(np.mean(np.where(predicted != y, (labelled - alike) / labelled, 0.0)))


def pairwise_loss(scores, Y, *, margin=1.0):
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

    Notes
    -----
    The twin of `reference.pairwise_loss`, compiled. It is what `fit_wsabie` minimises with AUC sampling. The cost is
    O(n m) times the number of labels of an example.

    References
    ----------
    * Paper 003 (Gupta, Bengio, Weston: Training Highly Multiclass Classifiers, 2014), equation (8), divided by n.

    Examples
    --------
    >>> pairwise_loss(np.array([[2.0, 1.5, 0.0]]), np.array([0]))
    0.25
    """
    scores, sets, margin = checks.scores_and_sets(scores, Y, margin)
    losses = mean_hinges(read_only(scores), sets.classes, sets.starts, margin)
    return float(np.mean(losses))


def warp_loss(scores, Y, *, margin=1.0, weighting="harmonic", last_violators=0):
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

    Notes
    -----
    The twin of `reference.warp_loss`. It stores for each class only the last example with this label, and finds its
    violators again from the scores. The cost is O(n m) times the number of labels of an example, and for each label
    O(m) more for each class that a chain leads to.

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
    Q = checks.count(last_violators, "last_violators", smallest=0)
    harmonic = np.cumsum(1 / np.arange(1, sets.n_classes + 1))
    weights = harmonic if weighting == "harmonic" else np.ones(sets.n_classes)
    Q = min(Q, sets.n_classes)
    losses = weighted_hinges(read_only(scores), sets.classes, sets.starts, margin, weights, Q)
    return float(np.mean(losses))


def _lengths(begins):
    """The length of each run, where `begins` marks the first entry of each."""
    return np.diff(np.append(np.flatnonzero(begins), len(begins)))
