"""The ranking SVM, trained by cutting planes to a certified gap (002, problem (4), after Joachims et al. 2009).

Each group of samples, a query with its documents, has a hinge: the most by which a ranking can beat the perfect one in
loss plus score. In English:

    Find the ranking that attains the hinge of each group. Together they are a cutting plane, a linear function of the
    weights that is nowhere above the mean of the hinges, and touches it at the present weights.
    Minimise the largest of all planes so far plus the penalty: in the dual, a small quadratic programme on the simplex.
    The minimum is below the optimum, and the objective at the new weights above it. Stop when they meet.
"""

import numpy as np

from . import contract
from ._cutting_planes import minimise_by_planes
from .ranking import LOSSES, loss_augmented_inference, semigradient

__all__ = ["grouped_inference", "fit_ranking_svm"]


def grouped_inference(scores, relevant, groups=None, loss="ap"):
    """argmax_R loss(R) + F(R)  for each group of samples: `loss_augmented_inference`, many queries at once.

    Parameters
    ----------
    scores : array, shape (n,), float32 or float64
    relevant : bool array, shape (n,)
        Which samples are positive.
    groups : int array, shape (n,), optional
        Which samples belong together; all of them if not given.
    loss : {"ap", "ndcg", "auc"} or QSLoss

    Returns
    -------
    inference : Inference
        interleaving (n,), int64: of each negative within its group, 0 for positives and for what is left out; objective
        and loss (groups,), float64, of the groups that have both classes, in the order of their numbers.

    Raises
    ------
    ValueError
        Scores are empty, not finite or not 1-D; no group has both classes; `loss` is none of the above.

    Warns
    -----
    UserWarning
        Some groups do not have both classes and are left out.

    Notes
    -----
    Source: 002, eq. (6).

    Examples
    --------
    >>> scores, relevant = np.array([1.0, 0.5, 0.0, 3.0, 2.0]), np.array([True, False, True, True, False])
    >>> grouped_inference(scores, relevant, groups=np.array([0, 0, 0, 1, 1])).interleaving
    array([0, 2, 0, 0, 2])
    """
    scores, relevant, rows, starts = contract.grouped_scores(scores, relevant, groups)
    loss, ranks, values = contract.qs_loss(loss, LOSSES), np.zeros(len(scores), np.int64), []
    for p, n in _both_classes(relevant, rows, starts):
        inference = loss_augmented_inference(scores[p], scores[n], loss)
        ranks[n] = inference.interleaving
        values.append((inference.objective, inference.loss))
    return contract.Inference(ranks, *np.array(values).T)


def fit_ranking_svm(
    X, relevant, *, groups=None, loss="ap", regularization, tol=1e-3, max_iterations=1000, group_weight=None,
    progress=False,
):  # fmt: skip
    """argmin_w regularization/2 |w|^2 + mean over groups of max_R [loss(R) + F(R) - F(R*)],  with scores X w.

    Parameters
    ----------
    X : array or scipy CSR matrix, shape (n, d), float32 or float64
        Features, one row a sample.
    relevant : bool array, shape (n,)
        Which samples are positive.
    groups : int array, shape (n,), optional
        Which samples belong together, such as the documents of a query; all of them if not given.
    loss : {"ap", "ndcg", "auc", "zero_one"} or QSLoss
        "zero_one" is the hinge of each sample on its own, mean of max(0, 1 - s) and max(0, 1 + s): the binary SVM.
    regularization : float, > 0
        lambda.
    tol : float, >= 0
        The relative duality gap at which to stop.
    max_iterations : int, >= 1
        How many cutting planes at most.
    group_weight : array, shape (n,), >= 0, optional
        The mean over groups is weighted by it; all samples of a group must have the same.
    progress : bool
        Show a progress bar.

    Returns
    -------
    fit : RankingSVMFit
        weights (d,), primal, dual, gap = (primal - dual) / primal, iterations, and history, with one record
        (primal, dual, gap, seconds) an iteration. primal is that of the weights as returned, the best that were found.
        slope (d,), offset, points (c, d) and shares (c,) prove the dual: see the notes.

    Raises
    ------
    ValueError
        An argument is none of the above; no group has both classes.

    Warns
    -----
    UserWarning
        Some groups do not have both classes and are left out.
    ConvergenceWarning
        The iterations are used up and the gap is still above `tol`. The fit returned is valid, with its true gap.

    Notes
    -----
    With planes b_c + <a_c, w> the dual is max over the simplex of <b, alpha> - |A' alpha|^2 / (2 lambda), and
    w = -A' alpha / lambda. Any alpha gives a lower bound, so that the programme need not be solved to the end.
    O(n d + n log n) an iteration, plus the small programme. Source: 002, problem (4); Joachims, Finley and Yu 2009.

    The proof. slope = A' alpha and offset = <b, alpha> make the plane that proves the dual: it lies nowhere above the
    mean hinge, and its minimum with the penalty, offset - |slope|^2 / (2 lambda), is the dual. Whoever doubts it can
    build the plane again: points are the weights at which the planes with alpha > 0 touch the mean hinge, shares are
    their alpha. One ranking of all groups at each point gives the planes. c = 0 stands for the plane 0, since the mean
    hinge is never negative.

    Examples
    --------
    >>> X, relevant = np.array([[1.0, 0.0], [0.8, 1.0], [0.0, 1.0], [-1.0, 0.5]]), np.array([1, 1, 0, 0])
    >>> fit = fit_ranking_svm(X, relevant, regularization=0.1, tol=1e-6)
    >>> scores = X @ fit.weights
    >>> bool(scores[:2].min() > scores[2:].max())
    True
    """
    X, relevant, rows, starts = contract.sorted_groups(X, relevant, groups)
    options = contract.ranking_options(regularization, tol, max_iterations)
    groups, loss = list(_both_classes(relevant, rows, starts)), contract.qs_loss(loss, {**LOSSES, "zero_one": None})
    shares = contract.group_shares(group_weight, len(relevant), rows, starts)

    def plane(weights):
        scores = X @ weights
        if loss is None:
            value, offset, gradient = _hinge_of_samples(scores, groups, shares)
        else:
            value, offset, gradient = _hinge_of_rankings(scores, groups, shares, loss)
        return value, offset, X.T @ gradient

    return minimise_by_planes(plane, np.zeros(X.shape[1]), X.dtype, options, progress)[0]


def _both_classes(relevant, rows, starts):
    """(rows of the positives, rows of the negatives) of each group."""
    for begin, end in zip(starts[:-1], starts[1:], strict=True):
        here = rows[begin:end]
        yield here[relevant[here]], here[~relevant[here]]


def _hinge_of_rankings(scores, groups, shares, loss):
    """(mean hinge, mean loss at the rankings that attain it, gradient of the mean hinge in the scores)."""
    gradient, mean_hinge, mean_loss = np.zeros(len(scores)), 0.0, 0.0
    for (p, n), share in zip(groups, shares, strict=True):
        inference = loss_augmented_inference(scores[p], scores[n], loss)
        along_p, along_n = semigradient(scores[p], scores[n], inference.interleaving)
        mean_hinge += share * (inference.loss + along_p @ scores[p] + along_n @ scores[n])
        mean_loss += share * inference.loss
        gradient[p], gradient[n] = share * along_p, share * along_n
    return mean_hinge, mean_loss, gradient


def _hinge_of_samples(scores, groups, shares):
    """The same for the hinge of each sample."""
    gradient = np.zeros(len(scores))
    for (p, n), share in zip(groups, shares, strict=True):
        each = share / (len(p) + len(n))
        gradient[p], gradient[n] = -each * (scores[p] < 1), each * (scores[n] > -1)
    mean_loss = np.abs(gradient).sum()
    return mean_loss + gradient @ scores, mean_loss, gradient
