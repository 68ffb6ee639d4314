"""The statements of `reference.wsabie_baselines`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from . import checks
from .checks.types import Array, Floats, Matrix
from .checks.walk import Curve, Draws
from .checks.wsabie import LabelSets, WsabieRule

__all__ = ["fit_nearest_means", "fit_one_vs_all"]


class MeansProblem(NamedTuple):
    """What `fit_nearest_means` reads."""

    X: Matrix  # dense or CSR
    sets: LabelSets
    sample_weight: Floats | None


class OneVsAllProblem(NamedTuple):
    """What `fit_one_vs_all` reads, and where it keeps its records."""

    X: Matrix  # dense or CSR
    sets: LabelSets
    rule: WsabieRule
    counts: list[int]  # the numbers of negatives to try
    n_updates: int
    stream: Draws
    curve: Curve
    progress: bool


def fit_nearest_means(
    X: Matrix, Y: Matrix, *, n_classes: int | None = None, sample_weight: Array | None = None
) -> MeansProblem:
    r"""Returns the mean of each class as its prototype.

    .. math::

        \arg\min_b \; \sum_i s_i \sum_{g \text{ a label of } i} \|b_g - x_i\|^2

    Here :math:`s_i` is `sample_weight`.

    Parameters
    ----------
    X : array or scipy CSR or CSC matrix, shape (n, d), float32 or float64
    Y : int array, shape (n,), or 0/1 array or scipy CSR or CSC matrix, shape (n, m)
        The label of each example, 0..m-1; or 1 where an example (row) has a class (column) as a label.
    n_classes : int, >= 2, optional
        The number m of classes. By default the largest label plus one, or the width of the indicator.
    sample_weight : array, shape (n,), >= 0, optional
        :math:`s_i`, one weight an example: the means are weighted. An integer weight is the same as so many copies of
        the example. Each class needs an example of weight above 0. The default is 1.

    Returns
    -------
    fit : WsabieFit
        prototypes (m, d), to be compared with x by Euclidean distance.

    Raises
    ------
    ValueError
        An argument is empty, not finite or of the wrong shape, or a class has no example of weight above 0.

    References
    ----------
    * Paper 003 (Gupta, Bengio, Weston: Training Highly Multiclass Classifiers, 2014), section 2.

    Examples
    --------
    >>> fit_nearest_means(np.array([[0.0, 0.0], [0.0, 2.0], [3.0, 0.0]]), np.array([0, 0, 1])).prototypes
    array([[0., 1.],
           [3., 0.]])
    """
    X = checks.features(X)
    sets = checks.sets_of_all_classes(Y, X.shape[0], n_classes)
    if sample_weight is not None:
        sample_weight = checks.weights_of_means(sample_weight, sets)
    return MeansProblem(X, sets, sample_weight)


def fit_one_vs_all(
    X: Matrix, Y: Matrix, *, negatives: int | Sequence[int] = 1, step: str = "adagrad", margin: float = 1.0,
    step_size: float = 0.1, n_updates: int, seed: int | np.random.Generator = 0, max_norm: float | None = None,
    n_classes: int | None = None, draws: Array | None = None, validation: tuple[Matrix, Matrix] | None = None,
    progress: bool = False,
) -> OneVsAllProblem:  # fmt: skip
    r"""Train a linear SVM for each class against drawn examples of other classes, by stochastic gradient steps.

    .. math::

        \text{mean over examples of } \; \max(0, \; \text{margin} - s \langle b_g, x \rangle)
        \quad \text{for each class } g

    Here s = 1 for the examples that have class g as a label, and s = -1 for drawn examples of other classes.

    Parameters
    ----------
    X : array or scipy CSR or CSC matrix, shape (n, d), float32 or float64
        Features, one row an example. The scores have no intercept. To fit one, append a column of ones to X.
    Y : int array, shape (n,), or 0/1 array or scipy CSR or CSC matrix, shape (n, m)
        The label of each example, 0..m-1; or 1 where an example (row) has a class (column) as a label.
    negatives : int, >= 1, or a sequence of them
        How many classes, none of them a label, a drawn example is a negative example for. If several numbers are given,
        all are tried, and the fit with the best accuracy on `validation` is returned, the first of equals.
    step : {"constant", "adagrad"}
        As for `fit_wsabie`.
    margin : float, >= 0
        How far a score should be on the right side of 0.
    step_size : float, > 0
    n_updates : int, >= 1
        The number of steps. A step draws one example.
    seed : int or Generator
        Source of all random numbers. If several `negatives` are tried, each continues with the same Generator.
    max_norm : float, > 0, optional
        Prototypes that are longer are scaled down to this length after each step.
    n_classes : int, >= 2, optional
        The number m of classes. By default the largest label plus one, or the width of the indicator.
    draws : array of numbers in [0, 1), optional
        Used in turn in place of random numbers, as in `fit_wsabie`. For each step: the example, the place of its
        positive class among its labels, and the places of the negative classes among the others.
    validation : (X, Y), optional
        Examples and labels on which `negatives` is chosen. A prediction is right if it is one of the labels.
    progress : bool
        Show a progress bar that moves once for each number of negatives.

    Returns
    -------
    fit : WsabieFit
        prototypes (m, d), to be compared with x by inner products. The history has one record for each number of
        negatives. Its score is the accuracy on `validation`, or NaN without.

    Raises
    ------
    ValueError
        An argument is not as above, or several `negatives` are given without `validation`.

    References
    ----------
    * Paper 003 (Gupta, Bengio, Weston: Training Highly Multiclass Classifiers, 2014), section 8.3 and Table 5.
    * Paper (Perronnin et al.: Towards Good Practice in Large-Scale Learning for Image Classification, 2012).

    Examples
    --------
    >>> X, y = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]]), np.array([0, 1, 2])
    >>> (X @ fit_one_vs_all(X, y, negatives=2, n_updates=100).prototypes.T).argmax(axis=1)
    array([0, 1, 2])
    """
    X = checks.features(X)
    sets = checks.label_sets(Y, X.shape[0], n_classes)
    rule = checks.one_vs_all_rule(step, margin, step_size, max_norm)
    counts, accuracy = checks.negatives_to_try(negatives, validation, X.shape[1], sets.n_classes)
    n_updates, stream = checks.count(n_updates, "n_updates", checks.MOST_UPDATES), checks.Draws(draws, seed)
    curve = checks.Curve(accuracy, accuracy and len(counts))
    return OneVsAllProblem(X, sets, rule, counts, n_updates, stream, curve, checks.flag(progress, "progress"))
