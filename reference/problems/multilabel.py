"""The statements of `reference.multilabel`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from . import checks
from .checks.types import Array, Floats, Matrix

__all__ = [
    "multilabel_error",
    "multilabel_hinge",
    "multilabel_hinge_gradient",
    "multilabel_entropy",
    "multilabel_entropy_gradient",
    "fit_multilabel",
]


class MultilabelProblem(NamedTuple):
    """The checked arguments of `fit_multilabel`."""

    X: Matrix  # (n, d), dense or CSR
    Y: Array  # (n, m) bool
    duals: Floats  # (n, m), a float64 copy, or zeros
    options: checks.MultilabelOptions
    orders: Iterator  # of the orders (n,) in which epochs visit the examples
    n_jobs: int


def multilabel_error(scores: Array, Y: Matrix) -> tuple:
    """Returns 1 for an example if some negative class scores as much as some positive class or more, else 0.

    Parameters
    ----------
    scores : array, shape (n, m), float32 or float64
        Scores of all classes, one row an example.
    Y : bool array or scipy CSR or CSC matrix, shape (n, m)
        The positive classes. 0 and 1 are as good as False and True.

    Returns
    -------
    error : array, shape (n,), dtype of `scores`
        0 or 1. It is 0 for an example without a positive or without a negative.

    Raises
    ------
    ValueError
        `scores` is empty, not finite or not 2-D; `Y` has another shape or holds something else than 0 and 1.

    References
    ----------
    * Paper (Lapin, Hein, Schiele: Analysis and Optimization of Loss Functions, 2018), the multilabel loss, with ties as
      errors.

    Examples
    --------
    >>> multilabel_error(np.array([[3.0, 2.0, 1.0], [3.0, 2.0, 3.0]]), np.array([[1, 1, 0], [1, 1, 0]]))
    array([0., 1.])
    """
    return _scores_and_indicator(scores, Y)


def multilabel_hinge(scores: Array, Y: Matrix, smoothing: float = 0.0) -> tuple:
    r"""Returns the multilabel hinge loss of each example, or the smooth one if `smoothing` is positive.

    .. math::

        \max_{u, v} \;\; & \langle \tfrac12 - s_Y, u \rangle + \langle \tfrac12 + s_N, v \rangle
        - \tfrac{\gamma}{2} (\|u\|^2 + \|v\|^2) \\
        \text{subject to} \;\; & u, v \ge 0, \;\; \sum_i u_i = \sum_j v_j \le 1

    Here :math:`s_Y` are the scores of the positive classes, :math:`s_N` those of the negative ones, and :math:`\gamma`
    is `smoothing`.

    Parameters
    ----------
    scores : array, shape (n, m), float32 or float64
        Scores of all classes, one row an example.
    Y : bool array or scipy CSR or CSC matrix, shape (n, m)
        The positive classes. 0 and 1 are as good as False and True.
    smoothing : float, >= 0
        :math:`\gamma`. The gradient has the Lipschitz constant :math:`1 / \gamma`.

    Returns
    -------
    loss : array, shape (n,), dtype of `scores`
        It is 0 for an example without a positive or without a negative.

    Raises
    ------
    ValueError
        `scores` is empty, not finite or not 2-D; `Y` has another shape or holds something else than 0 and 1;
        `smoothing` is negative or not finite.

    References
    ----------
    * Paper (Lapin, Hein, Schiele: Analysis and Optimization of Loss Functions, 2018), the smooth multilabel SVM,
      derived again here.

    Examples
    --------
    >>> scores, Y = np.array([[3.0, 2.0, 1.5]]), np.array([[1, 1, 0]])
    >>> [float(multilabel_hinge(scores, Y, smoothing)[0]) for smoothing in (0.0, 0.25)]
    [0.5, 0.25]
    """
    return *_scores_and_indicator(scores, Y), checks.loss_smoothing(smoothing)


def multilabel_hinge_gradient(scores: Array, Y: Matrix, smoothing: float = 0.0) -> tuple:
    """Returns the gradient of `multilabel_hinge` in the scores of each example, or a subgradient at a kink.

    It is -u for the positive classes and v for the negative ones, where (u, v) is the maximiser that defines the loss.

    Parameters
    ----------
    scores, Y, smoothing
        As for `multilabel_hinge`; Y may be a scipy CSR or CSC matrix.

    Returns
    -------
    gradient : array, shape (n, m), dtype of `scores`
        Without smoothing, a subgradient: -1 for the positive with the lowest score, 1 for the negative with the
        highest one, and 0 if the loss is 0. Of equal scores, the class with the lowest index has it.

    Raises
    ------
    ValueError
        As for `multilabel_hinge`.

    References
    ----------
    * Paper (Lapin, Hein, Schiele: Analysis and Optimization of Loss Functions, 2018).

    Examples
    --------
    >>> multilabel_hinge_gradient(np.array([[3.0, 2.0, 1.5]]), np.array([[1, 1, 0]]))
    array([[ 0., -1.,  1.]])
    """
    return multilabel_hinge(scores, Y, smoothing)


def multilabel_entropy(scores: Array, Y: Matrix) -> tuple:
    r"""Returns the multilabel entropy loss of each example.

    .. math::

        \log \sum_j e^{s_j} - \frac{1}{|Y|} \sum_{j \in Y} s_j

    This is the cross-entropy of softmax(s) and the uniform distribution on the positives Y.

    Parameters
    ----------
    scores : array, shape (n, m), float32 or float64
        Scores of all classes, one row an example.
    Y : bool array or scipy CSR or CSC matrix, shape (n, m)
        The positive classes. 0 and 1 are as good as False and True.

    Returns
    -------
    loss : array, shape (n,), dtype of `scores`
        It is 0 for an example without a positive or without a negative.

    Raises
    ------
    ValueError
        `scores` is empty, not finite or not 2-D; `Y` has another shape or holds something else than 0 and 1.

    References
    ----------
    * Paper (Lapin, Hein, Schiele: Analysis and Optimization of Loss Functions, 2018), the multilabel cross-entropy.

    Examples
    --------
    >>> scores, Y = np.array([[0.0, 0.0, 0.0], [1000.0, 0.0, 0.0]]), np.array([[1, 0, 0], [0, 1, 0]])
    >>> multilabel_entropy(scores, Y).round(4)
    array([   1.0986, 1000.    ])
    """
    return _scores_and_indicator(scores, Y)


def multilabel_entropy_gradient(scores: Array, Y: Matrix) -> tuple:
    """Returns the gradient of `multilabel_entropy` in the scores of each example.

    It is softmax(s), less one divided by the number of positives for each positive class.

    Parameters
    ----------
    scores, Y
        As for `multilabel_entropy`; Y may be a scipy CSR or CSC matrix.

    Returns
    -------
    gradient : array, shape (n, m), dtype of `scores`
        It is 0 for an example without a positive or without a negative.

    Raises
    ------
    ValueError
        As for `multilabel_entropy`.

    References
    ----------
    * Paper (Lapin, Hein, Schiele: Analysis and Optimization of Loss Functions, 2018).

    Examples
    --------
    >>> multilabel_entropy_gradient(np.array([[5.0, 5.0]]), np.array([[True, False]]))
    array([[-0.5,  0.5]])
    """
    return _scores_and_indicator(scores, Y)


def fit_multilabel(
    X: Matrix, Y: Matrix, *, loss: str = "hinge", smoothing: float = 0.0, regularization: float, tol: float = 1e-3,
    max_epochs: int = 1000, order: Array | None = None, seed: int = 0, sample_weight: Array | None = None,
    duals: Matrix | None = None, n_jobs: int = 1, progress: bool = False,
) -> MultilabelProblem:  # fmt: skip
    r"""Train the multilabel SVM, or its entropy relative, to a certified duality gap.

    .. math::

        \arg\min_W \; \tfrac{\lambda}{2} \|W\|^2 + \tfrac1n \sum_{i=1}^n s_i \, \text{loss}(W^\top x_i, Y_i)

    Here :math:`\lambda` is `regularization`, :math:`x_i` is row i of `X`, :math:`Y_i` are the positive classes in row i
    of `Y`, and :math:`s_i` is `sample_weight`.

    Parameters
    ----------
    X : array or scipy CSR or CSC matrix, shape (n, d), float32 or float64
        Features, one row an example. There is no intercept. To have one, append a column of ones.
    Y : bool array or scipy CSR or CSC matrix, shape (n, m)
        The positive classes. 0 and 1 are as good as False and True. An example without a positive or without a negative
        has the loss 0, and it counts in n. Some example has both.
    loss : {"hinge", "entropy"}
        `multilabel_hinge` or `multilabel_entropy`.
    smoothing : float, >= 0
        :math:`\gamma` of the hinge. It must be 0 for the entropy.
    regularization : float, > 0
        :math:`\lambda`. In terms of the usual C, it is :math:`1 / (C n)`.
    tol : float, >= 0
        The relative duality gap at which to stop.
    max_epochs : int, >= 1
        The largest number of epochs.
    order : int array, shape (n,) or (epochs, n), optional
        The order in which each epoch visits the examples, every example once. Drawn from `seed` if not given.
    seed : int
        Seed of the visiting order.
    sample_weight : array, shape (n,), >= 0, optional
        :math:`s_i`, which multiplies the loss of example i. All 1 if not given. n remains the number of rows.
    duals : array or scipy CSR array, shape (n, m), optional
        Starting point, in the dual domain. To continue an earlier fit, rescale its duals by the ratio of
        :math:`1 / (\lambda n)`, new over old. Zeros if not given. They are not changed.
    n_jobs : int
        Number of threads, or -1 for one per processor. The answer does not depend on it.
    progress : bool
        Show a progress bar.

    Returns
    -------
    fit : TopKSVMFit
        weights (d, m), duals (n, m), primal, dual, ``gap = (primal - dual) / primal``, epochs, and history, with one
        record (primal, dual, gap, seconds) an epoch. ``weights = X.T @ duals``. A row of duals sums to 0, and its
        negatives are <= 0. The gap is that of the duals as returned.

    Raises
    ------
    ValueError
        An argument is not as described above: X is empty or not finite, no row of Y has a positive and a negative, ...

    Warns
    -----
    ConvergenceWarning
        The gap is still above `tol` after `max_epochs`. The fit returned is valid, with its true gap.

    References
    ----------
    * Paper (Lapin, Hein, Schiele: Analysis and Optimization of Loss Functions, 2018), derived again here.

    Examples
    --------
    >>> X, Y = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]]), np.array([[1, 1, 0], [0, 1, 0], [0, 0, 1]])
    >>> fit = fit_multilabel(X, Y, regularization=0.1, tol=1e-6)
    >>> multilabel_error(X @ fit.weights, Y)
    array([0., 0., 0.])
    """
    X, Y = _features_and_indicator(X, Y)
    options = checks.multilabel_options(len(Y), loss, smoothing, regularization, tol, max_epochs, sample_weight)
    orders = checks.visiting_orders(order, len(Y), options.max_epochs, seed)
    duals, n_jobs = checks.multilabel_duals(duals, Y, options), checks.thread_count(n_jobs)
    checks.flag(progress, "progress")
    return MultilabelProblem(X, Y, duals, options, orders, n_jobs)


def _scores_and_indicator(scores, Y):
    """Returns finite scores (n, m) and the boolean indicator (n, m) of the positive classes."""
    scores = checks.finite_array(checks.real_array(scores, "scores", (2,)), "scores")
    return scores, checks.indicator(Y, *scores.shape)


def _features_and_indicator(X, Y):
    """Returns features (n, d), dense or CSR, and the boolean indicator (n, m). Some row has a label and lacks one."""
    X = checks.features(X)
    Y = checks.indicator(Y, X.shape[0])
    if not checks.proper_rows(Y).any():
        raise ValueError(f"Y must hold an example that has a label and lacks another, got {len(Y)} with none or all")
    return X, Y
