"""Multilabel losses, and the multilabel SVM and softmax by SDCA and Newton's method. `reference` derives them.

The losses are those of `_multilabel.rows`, one pass over each row.
"""

import numpy as np

from reference.problems import checks

from ._multilabel.ascent import ascend_multilabel
from ._multilabel.rows import LOSS_NUMBERS, errors_of_rows, gradients_of_rows, losses_of_rows, memory_for
from ._shared.examples import read_only

__all__ = [
    "multilabel_error",
    "multilabel_hinge",
    "multilabel_hinge_gradient",
    "multilabel_entropy",
    "multilabel_entropy_gradient",
    "fit_multilabel",
]


def multilabel_error(scores, Y):
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

    Notes
    -----
    The twin of `reference.multilabel_error`. A tie counts as an error, as in `topk_error`. Measures that count the
    wrong pairs or classes are in scikit-learn: ``coverage_error``, ``label_ranking_loss`` and
    ``label_ranking_average_precision_score``. The cost is O(n m).

    References
    ----------
    * Paper (Lapin, Hein, Schiele: Analysis and Optimization of Loss Functions, 2018), the multilabel loss, with ties as
      errors.

    Examples
    --------
    >>> multilabel_error(np.array([[3.0, 2.0, 1.0], [3.0, 2.0, 3.0]]), np.array([[1, 1, 0], [1, 1, 0]]))
    array([0., 1.])
    """
    scores, Y = checks.scores_and_indicator(scores, Y)
    errors = np.empty(len(scores), scores.dtype)
    errors_of_rows(read_only(np.ascontiguousarray(scores)), read_only(np.ascontiguousarray(Y)), errors)
    return errors


def multilabel_hinge(scores, Y, smoothing=0.0):
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

    Notes
    -----
    The twin of `reference.multilabel_hinge`. With smoothing, Newton's method finds both thresholds of the projection.
    The cost is O(n m).

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
    (scores, Y), smoothing = checks.scores_and_indicator(scores, Y), checks.loss_smoothing(smoothing)
    return _losses(scores, Y, "hinge", smoothing)


def multilabel_hinge_gradient(scores, Y, smoothing=0.0):
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

    Notes
    -----
    The twin of `reference.multilabel_hinge_gradient`. The cost is O(n m).

    References
    ----------
    * Paper (Lapin, Hein, Schiele: Analysis and Optimization of Loss Functions, 2018).

    Examples
    --------
    >>> multilabel_hinge_gradient(np.array([[3.0, 2.0, 1.5]]), np.array([[1, 1, 0]]))
    array([[ 0., -1.,  1.]])
    """
    (scores, Y), smoothing = checks.scores_and_indicator(scores, Y), checks.loss_smoothing(smoothing)
    return _gradients(scores, Y, "hinge", smoothing)


def multilabel_entropy(scores, Y):
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

    Notes
    -----
    The twin of `reference.multilabel_entropy`. The cost is O(n m).

    References
    ----------
    * Paper (Lapin, Hein, Schiele: Analysis and Optimization of Loss Functions, 2018), the multilabel cross-entropy.

    Examples
    --------
    >>> scores, Y = np.array([[0.0, 0.0, 0.0], [1000.0, 0.0, 0.0]]), np.array([[1, 0, 0], [0, 1, 0]])
    >>> multilabel_entropy(scores, Y).round(4)
    array([   1.0986, 1000.    ])
    """
    return _losses(*checks.scores_and_indicator(scores, Y), "entropy", 0.0)


def multilabel_entropy_gradient(scores, Y):
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

    Notes
    -----
    The twin of `reference.multilabel_entropy_gradient`. The cost is O(n m).

    References
    ----------
    * Paper (Lapin, Hein, Schiele: Analysis and Optimization of Loss Functions, 2018).

    Examples
    --------
    >>> multilabel_entropy_gradient(np.array([[5.0, 5.0]]), np.array([[True, False]]))
    array([[-0.5,  0.5]])
    """
    return _gradients(*checks.scores_and_indicator(scores, Y), "entropy", 0.0)


def _losses(scores, Y, loss, smoothing):
    losses, memory = np.empty(len(scores)), memory_for(scores.shape[1])
    scores, Y, dtype = np.ascontiguousarray(scores), np.ascontiguousarray(Y), scores.dtype
    losses_of_rows(read_only(scores), read_only(Y), LOSS_NUMBERS[loss], smoothing, memory, losses)
    return checks.in_range(losses, dtype, "the loss")


def _gradients(scores, Y, loss, smoothing):
    gradients, memory = np.empty(scores.shape, scores.dtype), memory_for(scores.shape[1])
    scores, Y = np.ascontiguousarray(scores), np.ascontiguousarray(Y)
    gradients_of_rows(read_only(scores), read_only(Y), LOSS_NUMBERS[loss], smoothing, memory, gradients)
    return gradients


def fit_multilabel(
    X, Y, *, loss="hinge", smoothing=0.0, regularization, tol=1e-3, max_epochs=1000, order=None, seed=0,
    sample_weight=None, duals=None, n_jobs=1, progress=False,
):  # fmt: skip
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

    Notes
    -----
    The twin of `reference.fit_multilabel`. If `order` is given, each epoch visits all examples, and does nothing else.
    Otherwise only the first epoch of the hinge visits all duals. A later one makes at most 100 passes over the duals
    that may move, accelerated by conjugate directions, and ends with a look at all scores.

    Newton's method takes over if the gap decreases so slowly that it would need more than 100 + d m / 10 passes over
    all duals. Passes are slow at a small regularization, and the time of Newton's method hardly depends on it. An epoch
    is then at most 30 Newton steps. Each solves a linear system for all weights by conjugate gradients, with products
    of X and of its rows that can move. They are preconditioned by the blocks of the classes. If d m <= 2000, the matrix
    itself is factored where they are slow. The entropy is smooth as it is. The hinge is smoothed around the last duals,
    ever less. The best duals so far are kept. If these do not improve any more, passes continue. Newton's method takes
    some arrays (n, m) and up to 128 MB for the blocks, and directions take up to four arrays of the duals that may move
    and four of the weights. The method is that of
    Paper (Li, Sun, Toh: A Semismooth Newton Method for Lasso Problems, 2018).

    Arithmetic is in float64. X is neither copied nor made dense if it is CSR or in C order, but Newton's method needs X
    in float64. The cost is O(n m d) a pass over all duals, most of it at the speed of memory, and a matrix product for
    the gap. Only the look at all examples is distributed over the threads.

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
    X, Y = checks.features_and_indicator(X, Y)
    options = checks.multilabel_options(len(Y), loss, smoothing, regularization, tol, max_epochs, sample_weight)
    duals, n_jobs = checks.multilabel_duals(duals, Y, options), checks.thread_count(n_jobs)
    return ascend_multilabel(X, np.ascontiguousarray(Y), duals, options, order, seed, n_jobs, progress)
