"""The statements of `reference.ranking_svm`, and their Problems."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from . import checks
from .checks import QSLoss
from .checks.ranking import RankingOptions
from .checks.types import Array, Floats, Matrix
from .ranking import RANKINGS

__all__ = ["grouped_inference", "fit_ranking_svm"]

SVM_LOSSES = {**RANKINGS, "zero_one": "zero_one"}


class GroupedProblem(NamedTuple):
    """Scores in groups: rows[starts[g]:starts[g + 1]] are the samples of the g-th group."""

    scores: Floats
    relevant: np.ndarray
    rows: np.ndarray
    starts: np.ndarray
    loss: str | QSLoss
    n_jobs: int


class RankingSVMProblem(NamedTuple):
    """Samples in groups, as in a GroupedProblem, and the shares (groups,) of these in the mean hinge."""

    X: Matrix
    relevant: np.ndarray
    rows: np.ndarray
    starts: np.ndarray
    loss: str | QSLoss
    shares: Floats
    options: RankingOptions
    n_jobs: int
    progress: bool


def grouped_inference(
    scores: Array, relevant: Array, groups: Array | None = None, loss: str | QSLoss = "ap", *, n_jobs: int = 1
) -> GroupedProblem:
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

    References
    ----------
    * Paper 002 (Mohapatra et al.: Efficient Optimization for Rank-based Loss Functions, 2018), equation (6).

    Examples
    --------
    >>> scores, relevant = np.array([1.0, 0.5, 0.0, 3.0, 2.0]), np.array([True, False, True, True, False])
    >>> grouped_inference(scores, relevant, groups=np.array([0, 0, 0, 1, 1])).interleaving
    array([0, 2, 0, 0, 2])
    """
    grouped = checks.grouped_scores(scores, relevant, groups)
    return GroupedProblem(*grouped, checks.qs_loss(loss, RANKINGS), checks.thread_count(n_jobs))


def fit_ranking_svm(
    X: Matrix, relevant: Array, *, groups: Array | None = None, loss: str | QSLoss = "ap", regularization: float,
    tol: float = 1e-3, max_iterations: int = 1000, group_weight: Array | None = None, n_jobs: int = 1,
    progress: bool = False,
) -> RankingSVMProblem:  # fmt: skip
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
    options, loss = checks.ranking_options(regularization, tol, max_iterations), checks.qs_loss(loss, SVM_LOSSES)
    shares = checks.group_shares(group_weight, len(relevant), rows, starts)
    n_jobs, progress = checks.thread_count(n_jobs), checks.flag(progress, "progress")
    return RankingSVMProblem(X, relevant, rows, starts, loss, shares, options, n_jobs, progress)
