"""The ranking SVM, trained by cutting planes to a certified gap.

A group of samples is, for example, a query with its documents. The hinge of a group is the largest amount by which the
loss plus score of a ranking exceeds that of the perfect ranking. In English:

1. Find the ranking that attains the hinge of each group. These rankings define a cutting plane: a linear function of
   the weights that is nowhere above the mean hinge and touches it at the current weights.
2. Minimise the maximum of all planes so far plus the penalty. The dual is a small quadratic programme on the simplex.
3. This minimum is a lower bound of the optimum, the objective at any weights an upper bound. Stop when they meet.

Source: Paper 002 (Mohapatra et al.: Efficient Optimization for Rank-based Loss Functions, 2018), problem (4);
Paper (Joachims, Finley, Yu: Cutting-Plane Training of Structural SVMs, 2009).
"""

import numpy as np

from ._shared.cutting_planes import minimise_by_planes
from .problems import checks
from .ranking import LOSSES, loss_augmented_inference, semigradient

__all__ = ["grouped_inference", "fit_ranking_svm"]


def grouped_inference(scores, relevant, groups=None, loss="ap", *, n_jobs=1):
    r"""Returns the ranking with the largest sum of loss and score for each group: `loss_augmented_inference` for many
    queries.

    .. math::

        \arg\max_R \; \text{loss}(R) + F(R) \quad \text{for each group of samples}

    Parameters
    ----------
    scores : array, shape (n,), float32 or float64
    relevant : bool array, shape (n,)
        Which samples are positive.
    groups : int array, shape (n,), optional
        The number of each sample's group. If not given, all samples are one group.
    loss : {"ap", "ndcg", "auc"} or QSLoss
        The loss of a ranking.
    n_jobs : int
        Number of threads, or -1 for one per processor. The answer does not depend on it.

    Returns
    -------
    inference : Inference
        interleaving (n,), int64, has the rank of each negative within its group, and 0 for positives and for samples of
        groups that are left out. objective and loss, both (groups,), float64, have one entry for each group with both
        classes, in ascending order of the group numbers.

    Raises
    ------
    ValueError
        An argument is not as described above; no group has both classes.

    Warns
    -----
    UserWarning
        Some groups do not have both classes and are left out.

    Notes
    -----
    The groups are ranked one after the other, each in the time of `loss_augmented_inference`.

    References
    ----------
    * Paper 002 (Mohapatra et al.: Efficient Optimization for Rank-based Loss Functions, 2018), equation (6).

    Examples
    --------
    >>> scores, relevant = np.array([1.0, 0.5, 0.0, 3.0, 2.0]), np.array([True, False, True, True, False])
    >>> grouped_inference(scores, relevant, groups=np.array([0, 0, 0, 1, 1])).interleaving
    array([0, 2, 0, 0, 2])
    """
    scores, relevant, rows, starts = checks.grouped_scores(scores, relevant, groups)
    loss, ranks, values = checks.qs_loss(loss, LOSSES), np.zeros(len(scores), np.int64), []
    checks.thread_count(n_jobs)
    for p, n in _both_classes(relevant, rows, starts):
        inference = loss_augmented_inference(scores[p], scores[n], loss)
        ranks[n] = inference.interleaving
        values.append((inference.objective, inference.loss))
    return checks.Inference(ranks, *np.array(values).T)


def fit_ranking_svm(
    X, relevant, *, groups=None, loss="ap", regularization, tol=1e-3, max_iterations=1000, group_weight=None,
    n_jobs=1, progress=False,
):  # fmt: skip
    r"""Train the ranking SVM for a loss of rankings to a certified gap.

    .. math::

        \arg\min_w \; \tfrac{\lambda}{2} \|w\|^2
        + \frac{1}{G} \sum_{g=1}^G \max_R \left( \text{loss}(R) + F_g(R) - F_g(R_g^*) \right)

    Here :math:`\lambda` is `regularization`, G is the number of groups, :math:`F_g` is the score of a ranking of group
    g, as in `loss_augmented_inference`, with the scores X w, and :math:`R_g^*` is the perfect ranking. With
    `group_weight`, the mean is weighted.

    Parameters
    ----------
    X : array or scipy CSR or CSC matrix, shape (n, d), float32 or float64
        Features, one row a sample.
    relevant : bool array, shape (n,)
        Which samples are positive.
    groups : int array, shape (n,), optional
        The number of each sample's group, such as the query of a document. If not given, all samples are one group.
    loss : {"ap", "ndcg", "auc", "zero_one"} or QSLoss
        The loss of a ranking. "zero_one" gives the binary SVM instead: the hinge of each sample on its own,
        max(0, 1 - s) for a positive and max(0, 1 + s) for a negative, and their mean over the group.
    regularization : float, > 0
        :math:`\lambda`.
    tol : float, >= 0
        The relative duality gap at which to stop.
    max_iterations : int, >= 1
        The largest number of cutting planes.
    group_weight : array, shape (n,), >= 0, optional
        The weights of the mean over groups. All samples of a group must have the same weight.
    n_jobs : int
        Number of threads, or -1 for one per processor. The answer does not depend on it.
    progress : bool
        Whether to show a progress bar.

    Returns
    -------
    fit : RankingSVMFit
        weights (d,); primal, the objective at these weights, the lowest that was found; dual, a lower bound of the
        minimum; ``gap = (primal - dual) / primal``; iterations; and history, one record an iteration: primal, dual,
        gap, seconds. slope (d,), offset, points (c, d) and shares (c,) prove the dual: see the notes.

    Raises
    ------
    ValueError
        An argument is not as described above; no group has both classes.

    Warns
    -----
    UserWarning
        Some groups do not have both classes and are left out.
    ConvergenceWarning
        The gap is still above `tol` after the last iteration. The fit returned is valid, with its true gap.

    Notes
    -----
    With planes :math:`b_c + \langle a_c, w \rangle`, the dual is the maximum of
    :math:`\langle b, \alpha \rangle - \|A^\top \alpha\|^2 / (2 \lambda)` over :math:`\alpha` in the simplex, and
    :math:`w = -A^\top \alpha / \lambda`. Any :math:`\alpha` gives a lower bound, so the small programme need not be
    solved exactly. The cost is O(n d + n log n) an iteration, plus the small programme.

    The proof. slope :math:`= A^\top \alpha` and offset :math:`= \langle b, \alpha \rangle` define a plane, offset +
    <slope, w>. It lies nowhere above the mean hinge. Its minimum with the penalty, offset
    :math:`- \|\text{slope}\|^2 / (2 \lambda)`, is the dual. The plane can be computed again: points are the weights at
    which the planes with :math:`\alpha_c > 0` touch the mean hinge, and shares are their :math:`\alpha_c`. One ranking
    of all groups at each point gives these planes. If there are no points, the plane is 0, since the mean hinge is
    never negative.

    References
    ----------
    * Paper 002 (Mohapatra et al.: Efficient Optimization for Rank-based Loss Functions, 2018), problem (4).
    * Paper (Joachims, Finley, Yu: Cutting-Plane Training of Structural SVMs, 2009).

    Examples
    --------
    >>> X, relevant = np.array([[1.0, 0.0], [0.8, 1.0], [0.0, 1.0], [-1.0, 0.5]]), np.array([1, 1, 0, 0])
    >>> fit = fit_ranking_svm(X, relevant, regularization=0.1, tol=1e-6)
    >>> print((X @ fit.weights).round(2))  # both positives are above both negatives
    [ 0.42  0.25 -0.08 -0.46]
    """
    X, relevant, rows, starts = checks.sorted_groups(X, relevant, groups)
    options = checks.ranking_options(regularization, tol, max_iterations)
    groups, loss = list(_both_classes(relevant, rows, starts)), checks.qs_loss(loss, {**LOSSES, "zero_one": None})
    shares = checks.group_shares(group_weight, len(relevant), rows, starts)
    checks.thread_count(n_jobs)

    def plane(weights):
        scores = checks.finite_array(X @ weights, "X @ weights")
        if loss is None:
            value, offset, gradient = _hinge_of_samples(scores, groups, shares)
        else:
            value, offset, gradient = _hinge_of_rankings(scores, groups, shares, loss)
        return value, offset, X.T @ gradient

    return minimise_by_planes(plane, np.zeros(X.shape[1]), X.dtype, options, progress, X)[0]


def _both_classes(relevant, rows, starts):
    """Yields (rows of the positives, rows of the negatives) for each group."""
    for begin, end in zip(starts[:-1], starts[1:], strict=True):
        here = rows[begin:end]
        yield here[relevant[here]], here[~relevant[here]]


def _hinge_of_rankings(scores, groups, shares, loss):
    """Returns (mean hinge, mean loss of the rankings that attain it, gradient of the mean hinge in the scores)."""
    gradient, mean_hinge, mean_loss = np.zeros(len(scores)), 0.0, 0.0
    for (p, n), share in zip(groups, shares, strict=True):
        inference = loss_augmented_inference(scores[p], scores[n], loss)
        along_p, along_n = semigradient(scores[p], scores[n], inference.interleaving)
        mean_hinge += share * (inference.loss + along_p @ scores[p] + along_n @ scores[n])
        mean_loss += share * inference.loss
        gradient[p], gradient[n] = share * along_p, share * along_n
    return mean_hinge, mean_loss, gradient


def _hinge_of_samples(scores, groups, shares):
    """Returns the same as `_hinge_of_rankings`, for the hinge of each sample on its own."""
    gradient = np.zeros(len(scores))
    for (p, n), share in zip(groups, shares, strict=True):
        each = share / (len(p) + len(n))
        gradient[p], gradient[n] = -each * (scores[p] < 1), each * (scores[n] > -1)
    mean_loss = np.abs(gradient).sum()
    return mean_loss + gradient @ scores, mean_loss, gradient
