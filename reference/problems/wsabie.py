"""The statements of `reference.wsabie`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from . import checks
from .checks import WsabieFit
from .checks.types import Array, Matrix
from .checks.walk import Curve, Draws
from .checks.wsabie import LabelSets, WsabieRule

__all__ = ["fit_wsabie", "prototype_scores", "concatenate_fits"]


class WalkProblem(NamedTuple):
    """What `fit_wsabie` reads, where it starts, and where it keeps its records."""

    X: Matrix  # dense or CSR
    sets: LabelSets
    rule: WsabieRule
    stream: Draws
    fit: WsabieFit  # to start from, not yet within max_norm
    stages: list[int]  # the numbers of steps between records
    curve: Curve
    progress: bool


def fit_wsabie(
    X: Matrix, Y: Matrix, *, embedding_dim: int | None = None, discriminant: str = "euclidean", sampling: str = "warp",
    weighting: str = "uniform", step: str = "adagrad", last_violators: int = 8, margin: float = 1.0,
    step_size: float = 0.1, n_updates: int, seed: int | np.random.Generator = 0, max_norm: float | None = None,
    n_classes: int | None = None, draws: Array | None = None, start: WsabieFit | None = None,
    callback: Callable[[WsabieFit], float | None] | None = None, every: int | None = None, patience: int | None = None,
    progress: bool = False,
) -> WalkProblem:  # fmt: skip
    r"""Train prototypes of classes, and an embedding, by stochastic gradient steps on sampled pairs of classes.

    .. math::

        \text{mean over examples, labels } p \text{ and violators } q \text{ of } \;
        w \, \max(0, \; \text{margin} - f_p + f_q)

    Here :math:`f_g` is the score of class g, w is the weight of the step, and a violator is a class q, not a label, for
    which the maximum is positive. A step draws an example, one of its labels (the positive class) and other classes,
    until one of these violates the margin. It moves the prototypes of both classes, and the embedding W. The problem is
    not convex in prototypes and W together: the result depends on the steps and need not be a minimum.

    Parameters
    ----------
    X : array or scipy CSR or CSC matrix, shape (n, d), float32 or float64
        Features, one row an example.
    Y : int array, shape (n,), or 0/1 array or scipy CSR or CSC matrix, shape (n, m)
        The label of each example, 0..m-1; or 1 where an example (row) has a class (column) as a label. A step that
        draws an example with no label, or with all labels, changes nothing.
    embedding_dim : int, >= 1, optional
        e, the number of rows of W. By default there is no embedding, and e = d.
    discriminant : {"linear", "euclidean"}
        The score of class g: :math:`\langle b_g, z \rangle`, or :math:`-\|b_g - z\|^2`, where :math:`b_g` is its
        prototype, and z is W x, or x without an embedding.
    sampling : {"auc", "warp"}
        How many classes are drawn at most, until one violates the margin: 1, or m.
    weighting : {"harmonic", "uniform"}
        The weight w of a step: 1 + 1/2 + ... + 1/r for the rank r = (m - 1) // (number drawn), at least 1; or 1.
    step : {"constant", "adagrad"}
        Move by step_size times the gradient, or by that divided by the root of the sum of the mean squares of the
        gradients so far. Each class and each row of W has a sum of its own.
    last_violators : int, >= 0
        Q, the greatest length of the chain "last violator of the positive class, last violator of that class, ...". The
        chain ends at a class without a last violator, and before a class that it has passed. If a class of the chain
        that is no label of the example violates the margin, the example is skipped: no class is drawn, nothing moves,
        and no last violator changes. A class is frozen if all of its examples are skipped: it learns nothing until
        other classes move. This can happen from the start, when every class violates the margin. 0 skips nothing.
    margin : float, >= 0
        How far the score of the positive class should exceed the others. With margin 0 no class violates it, and
        nothing moves, as long as all prototypes are 0.
    step_size : float, > 0
    n_updates : int, >= 1
        The number of steps. A step draws one example.
    seed : int or Generator
        Source of all random numbers. A Generator is advanced by the numbers that the steps use, and no further.
    max_norm : float, > 0, optional
        Prototypes and rows of W that are longer are scaled down to this length, at the start and after each step.
    n_classes : int, >= 2, optional
        The number m of classes. By default the largest label plus one, or the width of the indicator.
    draws : array of numbers in [0, 1), optional
        Used in turn in place of random numbers. A number u stands for the integer :math:`\lfloor u c \rfloor` out of
        0..c-1. First come the signs of W, row by row, -1 below 1/2 (unless there is a `start`). Then come, for each
        step, the example, the place of the positive class among its labels, and the places of the drawn classes among
        the other classes.
    start : WsabieFit, optional
        The fit to continue. With the Generator that drew for it, the result is that of one longer run, up to rounding
        (to float32, if that is the dtype of X). Fields of it that are None count as 0, or as no last violator. By
        default prototypes are 0, and the entries of W are random signs.
    callback : function of a WsabieFit, optional
        Called with the fit after every `every` steps. It may return a score for the history, larger is better: the
        accuracy on a validation set, for example.
    every : int, >= 1, optional
        The number of steps between two records of the history. By default a twentieth of all steps if there is a
        `callback` or a progress bar, else all of them.
    patience : int, >= 1, optional
        Stop after this many scores in a row that are not better than the best, and return the fit with the best score.
    progress : bool
        Show a progress bar.

    Returns
    -------
    fit : WsabieFit
        prototypes (m, e) and embedding (e, d) or None. To continue: adagrad's sums, the last violators, the numbers of
        steps and of updates (steps that moved something), both including those of `start`, and the number of examples
        of each class that were skipped in a row. The history has one record for every `every` steps.

    Raises
    ------
    ValueError
        An argument is not as above: X is empty or not finite, no example has a label and lacks another, `draws` holds
        too few numbers, `start` has other shapes. Or the steps are so large that a prototype overflows.

    Warns
    -----
    ConvergenceWarning
        Some classes are frozen: their last examples were skipped, as many in a row as the class has, and at least 20.

    References
    ----------
    * Paper 003 (Gupta, Bengio, Weston: Training Highly Multiclass Classifiers, 2014), sections 5 to 7 with
      Tables 1 to 3, equations (13) and (16).
    * Paper (Grangier, Bengio: A Discriminative Kernel-Based Approach to Rank Images from Text Queries, 2008), for AUC.
    * Paper (Weston, Bengio, Usunier: Wsabie: Scaling Up to Large Vocabulary Image Annotation, 2011), for WARP and
      Wsabie.

    Examples
    --------
    >>> X, y = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]]), np.array([0, 1, 2])
    >>> fit = fit_wsabie(X, y, n_updates=200, margin=0.1, last_violators=0)
    >>> prototype_scores(X, fit).argmax(axis=1)
    array([0, 1, 2])
    """
    X = checks.features(X)
    sets = checks.label_sets(Y, X.shape[0], n_classes)
    rule = checks.wsabie_rule(discriminant, sampling, weighting, step, last_violators, margin, step_size, max_norm)
    stream, curve, progress = (
        checks.Draws(draws, seed),
        checks.Curve(callback, patience),
        checks.flag(progress, "progress"),
    )
    stages = checks.stages(n_updates, every, progress or callback is not None)
    fit = checks.wsabie_start(start, sets.n_classes, X.shape[1], embedding_dim, discriminant, stream)
    return WalkProblem(X, sets, rule, stream, fit, stages, curve, progress)


def prototype_scores(X: Matrix, fit: WsabieFit) -> tuple:
    r"""Returns the scores of all classes for each example.

    .. math::

        f_g(x) = \langle b_g, z \rangle \quad \text{or} \quad f_g(x) = -\|b_g - z\|^2

    Here :math:`b_g` is the prototype of class g, and z is W x, or x without an embedding.

    Parameters
    ----------
    X : array or scipy CSR or CSC matrix, shape (n, d), float32 or float64
    fit : WsabieFit
        From `fit_wsabie`, `fit_nearest_means`, `fit_one_vs_all` or `concatenate_fits`.

    Returns
    -------
    scores : array, shape (n, m), of the dtype of X
        The argmax of a row is the predicted class.

    Raises
    ------
    ValueError
        X is empty, not finite or of another width than the fit, or a score is out of the range of the dtype.

    References
    ----------
    * Paper 003 (Gupta, Bengio, Weston: Training Highly Multiclass Classifiers, 2014), section 2 with equation (1).

    Examples
    --------
    >>> fit = fit_nearest_means(np.array([[0.0, 0.0], [0.0, 2.0], [3.0, 0.0]]), np.array([0, 0, 1]))
    >>> prototype_scores(np.array([[1.0, 1.0]]), fit)
    array([[-1., -5.]])
    """
    return checks.features_and_fit(X, fit)


def concatenate_fits(fits: Sequence[WsabieFit]) -> tuple:
    """Returns one fit whose scores are the sums of those of the given fits: prototypes and embeddings side by side.

    Parameters
    ----------
    fits : sequence of WsabieFit
        Of the same classes, features, dtype and discriminant, all with an embedding. For example, runs with different
        seeds.

    Returns
    -------
    fit : WsabieFit
        prototypes (m, e) and embedding (e, d), for predictions only, where e is the sum of the embedding dimensions.

    Raises
    ------
    ValueError
        There is no fit, or the fits differ in one of these points.

    References
    ----------
    * Paper 003 (Gupta, Bengio, Weston: Training Highly Multiclass Classifiers, 2014), section 8.3.

    Examples
    --------
    >>> one = fit_wsabie(np.eye(3), np.arange(3), embedding_dim=2, n_updates=20, seed=1)
    >>> both = concatenate_fits([one, fit_wsabie(np.eye(3), np.arange(3), embedding_dim=4, n_updates=20, seed=2)])
    >>> both.prototypes.shape, both.embedding.shape
    ((3, 6), (6, 3))
    """
    return (checks.fits_to_concatenate(fits),)
