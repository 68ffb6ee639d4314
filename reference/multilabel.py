"""Multilabel losses, and the multilabel SVM and softmax by stochastic dual coordinate ascent.

An example has a set of positive classes Y. All other classes are its negatives N. Both losses compare positives with
negatives: the hinge compares the lowest score of Y with the highest one of N, and the entropy compares softmax(s) with
the uniform distribution on Y. An example without a positive or without a negative has the loss 0.

The fit in English::

    Until the relative duality gap is small:
        for each example i, in random order:
            compute its scores from the weights W;
            find the row of duals that raises the dual objective most while all other rows stay;
            move W along x_i by the change of the row.
        Recompute W from the duals, and with it both objectives: their gap is a certificate.

Source: Paper (Lapin, Hein, Schiele: Analysis and Optimization of Loss Functions, 2018).
"""

from time import perf_counter

import numpy as np

from ._multilabel import rows
from ._multilabel.dual_step import best_row
from ._multilabel.gap import certified_gap
from .problems import checks
from .topk_svm import _Linear

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
    This is what `multilabel_hinge` bounds. A tie counts as an error, as in `topk_error`. For one positive, it is the
    top-1 error. Measures that count the wrong pairs or classes are in scikit-learn: ``coverage_error``,
    ``label_ranking_loss`` and ``label_ranking_average_precision_score``. The cost is O(n m).

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
    lowest, highest = np.where(Y, scores, np.inf).min(axis=1), np.where(Y, -np.inf, scores).max(axis=1)
    return (highest >= lowest).astype(scores.dtype)


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
    Without smoothing this is :math:`\max(0, 1 + \max s_N - \min s_Y)`: for one positive, the loss of Crammer and
    Singer. With smoothing, (u, v) is a projection onto the bipartite simplex, divided by :math:`\gamma`. The loss
    decreases with :math:`\gamma`, by at most :math:`\gamma`. For one positive, it is not the smooth top-1 hinge, in
    which only the duals of the rivals are penalised. The cost is O(n m log m).

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
    return _each_row(scores, Y, 0.0, lambda row, member: rows.hinge(row, member, smoothing))


def multilabel_hinge_gradient(scores, Y, smoothing=0.0):
    r"""Returns the gradient of `multilabel_hinge` in the scores of each example, or a subgradient at a kink.

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
    Each row sums to 0. With smoothing, the gradient is the projection of :math:`(\tfrac12 - s_Y, \tfrac12 + s_N)` onto
    the bipartite simplex of radius :math:`\gamma`, divided by :math:`\gamma`, with the sign of the scores. The cost is
    O(n m log m).

    References
    ----------
    * Paper (Lapin, Hein, Schiele: Analysis and Optimization of Loss Functions, 2018).

    Examples
    --------
    >>> multilabel_hinge_gradient(np.array([[3.0, 2.0, 1.5]]), np.array([[1, 1, 0]]))
    array([[ 0., -1.,  1.]])
    """
    (scores, Y), smoothing = checks.scores_and_indicator(scores, Y), checks.loss_smoothing(smoothing)
    zero = np.zeros(scores.shape[1])
    return _each_row(scores, Y, zero, lambda row, member: rows.hinge_gradient(row, member, smoothing))


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
    For one positive, it is the loss of multinomial logistic regression. For several, it is at least log of their
    number, which it reaches if they have equal scores that are far above all others. The cost is O(n m).

    References
    ----------
    * Paper (Lapin, Hein, Schiele: Analysis and Optimization of Loss Functions, 2018), the multilabel cross-entropy.

    Examples
    --------
    >>> scores, Y = np.array([[0.0, 0.0, 0.0], [1000.0, 0.0, 0.0]]), np.array([[1, 0, 0], [0, 1, 0]])
    >>> multilabel_entropy(scores, Y).round(4)
    array([   1.0986, 1000.    ])
    """
    return _each_row(*checks.scores_and_indicator(scores, Y), 0.0, rows.entropy)


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
    Each row sums to 0. The cost is O(n m).

    References
    ----------
    * Paper (Lapin, Hein, Schiele: Analysis and Optimization of Loss Functions, 2018).

    Examples
    --------
    >>> multilabel_entropy_gradient(np.array([[5.0, 5.0]]), np.array([[True, False]]))
    array([[-0.5,  0.5]])
    """
    scores, Y = checks.scores_and_indicator(scores, Y)
    return _each_row(scores, Y, np.zeros(scores.shape[1]), rows.entropy_gradient)


def _each_row(scores, Y, otherwise, of_row):
    """Returns what `of_row` computes for each example, or `otherwise` where the positives or negatives are empty."""
    pairs = zip(scores.astype(np.float64), Y, checks.proper_rows(Y), strict=True)
    values = np.array([of_row(row, member) if proper else otherwise for row, member, proper in pairs])
    return checks.in_range(values, scores.dtype, "the loss")


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
    Let :math:`r_i = s_i / (\lambda n)`, and let :math:`a_i` be row i of the duals. The dual of the hinge is

    .. math::

        \max_a \;\; & \lambda \sum_i \left( \tfrac12 \|a_i\|_1 - \frac{\gamma}{2 r_i} \|a_i\|^2 \right)
        - \tfrac{\lambda}{2} \|W\|^2 \\
        \text{subject to} \;\; & (a_Y, -a_N)_i \in B(r_i)

    where :math:`B(r) = \{u, v \ge 0, \sum u = \sum v \le r\}` is the bipartite simplex. That of the entropy is

    .. math::

        \max_a \;\; & \lambda \sum_i r_i H(p_i) - \tfrac{\lambda}{2} \|W\|^2 \\
        \text{subject to} \;\; & p_i = \tau_i - a_i / r_i \ge 0, \;\; \sum_j p_{ij} = 1

    where H is the entropy, and :math:`\tau_i` is the uniform distribution on the positives. One step of the hinge is a
    projection onto B(r). One of the entropy has :math:`p = \omega(c - t) / \alpha` with the Wright omega function.

    A sparse X is made dense. The cost is O(n m (d + log m)) an epoch.

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
    X = X.toarray() if hasattr(X, "tocsr") else X
    options = checks.multilabel_options(len(X), loss, smoothing, regularization, tol, max_epochs, sample_weight)
    orders = checks.visiting_orders(order, len(X), max_epochs, seed)
    model = _Linear(X, checks.multilabel_duals(duals, Y, options))
    checks.thread_count(n_jobs)
    return _ascend(model, X.dtype, Y, options, orders, progress)


def _ascend(model, dtype, Y, options, orders, progress):
    """Stochastic dual coordinate ascent."""
    start, history = perf_counter(), []
    with checks.progress_bar(progress, options.max_epochs) as report:
        for visiting in orders:
            for i in visiting:
                row = best_row(model.scores(i), model.duals[i], model.squared_norms[i], Y[i], options.of(i))
                model.set_row(i, row)
            duals = checks.in_range(model.duals, dtype, "duals")
            weights, primal, dual, gap = certified_gap(model, duals.astype(np.float64), Y, options)
            history.append((primal, dual, gap, perf_counter() - start))
            report(gap)
            if gap <= options.tol:
                break
            model.forget_rounding()
    checks.warn_unless_converged(gap, options.tol, len(history), X=model.X)
    history = checks.svm_history(history)
    return checks.TopKSVMFit(weights.astype(dtype), duals, primal, dual, gap, len(history), history)
