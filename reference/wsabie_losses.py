"""The losses behind the Wsabie family, on a whole data set (003): which mistakes count, and how much each.

Some classes can hardly be told apart, and mistakes between them are mostly noise. The class-confusion loss counts such
a mistake by how rarely it is made: where all examples of a class are taken for the same other class, it costs nothing.
Online, the same comes of ignoring a violator that already was one the last time that the class was seen.
"""

import numpy as np

from . import contract

__all__ = ["class_confusion_loss", "pairwise_loss", "warp_loss"]


def class_confusion_loss(predicted, y):
    """Mean over t of  [c_t != y_t] * share of the examples labelled y_t that are not classified as c_t.

    Parameters
    ----------
    predicted : int array, shape (n,)
        c, the class that each example is classified as, 0..m-1.
    y : int array, shape (n,)
        Its label, 0..m-1.

    Returns
    -------
    loss : float, in 0..1

    Raises
    ------
    ValueError
        An argument is empty, of the wrong shape, or does not hold integers >= 0.

    Notes
    -----
    The indicator of a mistake estimates P(Y != c(x)) as 1; this is an estimate with less noise where classes are
    confused often. One of eleven examples misread as class 1 costs 10/11; all of eleven cost nothing. O(n log n).
    Source: 003, eq. (6) and (7) in the mean (4).

    Examples
    --------
    >>> class_confusion_loss(np.array([1] + 10 * [3]), np.full(11, 3))  # 10/11 for one example of 11
    0.08264462809917356
    """
    y, predicted = contract.labels_and_predictions(y, predicted)
    costs = [0.0 if c == label else np.mean(predicted[y == label] != c) for c, label in zip(predicted, y, strict=True)]
    return float(np.mean(costs))


def pairwise_loss(scores, Y, *, margin=1.0):
    """Mean over examples, their labels and all other classes of the hinge  [margin - f_label + f_other]_+.

    Parameters
    ----------
    scores : array, shape (n, m), float32 or float64
    Y : int array, shape (n,), or 0/1 array or scipy CSR matrix, shape (n, m)
        The label of each example, 0..m-1, or which labels it has. An example with no label, or all, is left out.
    margin : float, >= 0

    Returns
    -------
    loss : float

    Raises
    ------
    ValueError
        An argument is empty, not finite or of the wrong shape, or no example has a label that lacks another.

    Notes
    -----
    What `fit_wsabie` descends on with AUC sampling. O(n m |Y_t|). Source: 003, eq. (8), divided by n.

    Examples
    --------
    >>> pairwise_loss(np.array([[2.0, 1.5, 0.0]]), np.array([0]))
    0.25
    """
    scores, sets, margin = contract.scores_and_sets(scores, Y, margin)
    losses = []
    for row, labels in _with_labels(scores, sets):
        others = np.delete(row, labels)
        with np.errstate(over="ignore"):  # what is too large is refused
            losses.append(np.mean([np.maximum(margin - row[label] + others, 0.0) for label in labels]))
    return contract.mean_loss(losses)


def warp_loss(scores, Y, *, margin=1.0, weighting="harmonic", last_violators=0):
    """Mean over examples of the sum over labels and violators of  w [margin - f_label + f_violator]_+.

    With last_violators = Q > 0, a violator is left out if it was one the last time that this label was seen, or if that
    leads to it by a chain: if it was a violator of a violator of ... of the label, Q times at most.

    Parameters
    ----------
    scores : array, shape (n, m), float32 or float64
        In the order in which the examples are seen.
    Y : int array, shape (n,), or 0/1 array or scipy CSR matrix, shape (n, m)
        The label of each example, 0..m-1, or which labels it has. An example with no label, or all, is left out.
    margin : float, >= 0
    weighting : {"harmonic", "uniform"}
        w: 1 + 1/2 + ... + 1/r, where r classes violate the margin, or 1.
    last_violators : int, >= 0

    Returns
    -------
    loss : float

    Raises
    ------
    ValueError
        An argument is empty, not finite or of the wrong shape, or no example has a label that lacks another.

    Notes
    -----
    O(n m |Y_t|), and O(m^2) an example more for the chains.
    Source: 003, eq. (11) to (13) for Q = 0, (14) for Q = 1, (15) beyond, each divided by n.

    Examples
    --------
    >>> scores, y = np.array([[1.0, 1.0, 0.0], [0.5, 0.0, -1.0]]), np.array([0, 0])
    >>> warp_loss(scores, y), warp_loss(scores, y, last_violators=1)
    (0.75, 0.5)
    """
    scores, sets, margin = contract.scores_and_sets(scores, Y, margin)
    weighting = contract.choice(weighting, "weighting", contract.WEIGHTINGS)
    Q = contract.count(last_violators, "last_violators", smallest=0)
    last, losses = [set() for _ in range(sets.n_classes)], []
    for row, labels in _with_labels(scores, sets):
        found, loss = {}, 0.0
        for label in labels:
            with np.errstate(over="ignore"):  # what is too large is refused
                hinges = np.maximum(margin - row[label] + row, 0.0)
            found[label] = {int(g) for g in np.flatnonzero(hinges) if g not in labels}
            weight = sum(1 / i for i in range(1, len(found[label]) + 1)) if weighting == "harmonic" else 1.0
            with np.errstate(over="ignore"):
                loss += weight * np.sum(hinges[sorted(found[label] - _reached(last, label, Q))])
        for label in labels:
            last[label] = found[label]
        losses.append(loss)
    return contract.mean_loss(losses)


def _with_labels(scores, sets):
    """The scores and the labels of each example that has some, but not all."""
    for t, row in enumerate(scores):
        if 0 < len(sets.of(t)) < len(row):
            yield row, sets.of(t)


def _reached(last, label, Q):
    """The classes to which 1, 2, ..., Q steps from a class to one of its last violators lead."""
    reached, newest = set(), {int(label)}
    for _ in range(Q):
        newest = {v for g in newest for v in last[g]} - reached
        if not newest:
            break
        reached |= newest
    return reached
