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

from __future__ import annotations

import numpy as np

from ._shared.cutting_planes import minimise_by_planes
from .problems import checks
from .problems import ranking_svm as problems
from .problems.checks import QSLoss
from .problems.checks.types import Array, Matrix
from .ranking import loss_augmented_inference, semigradient

__all__ = ["grouped_inference", "fit_ranking_svm"]


@checks.documented_by(problems.grouped_inference)
def grouped_inference(
    scores: Array, relevant: Array, groups: Array | None = None, loss: str | QSLoss = "ap", *, n_jobs: int = 1
) -> checks.Inference:
    r"""Returns the ranking with the largest sum of loss and score for each group: `loss_augmented_inference` for many
    queries.

    .. math::

        \arg\max_R \; \text{loss}(R) + F(R) \quad \text{for each group of samples}

    Notes
    -----
    The groups are ranked one after the other, each in the time of `loss_augmented_inference`.
    """
    scores, relevant, rows, starts, loss, _ = problems.grouped_inference(scores, relevant, groups, loss, n_jobs=n_jobs)
    ranks, values = np.zeros(len(scores), np.int64), []
    for p, n in _both_classes(relevant, rows, starts):
        inference = loss_augmented_inference(scores[p], scores[n], loss)
        ranks[n] = inference.interleaving
        values.append((inference.objective, inference.loss))
    return checks.Inference(ranks, *np.array(values).T)


@checks.documented_by(problems.fit_ranking_svm)
def fit_ranking_svm(
    X: Matrix, relevant: Array, *, groups: Array | None = None, loss: str | QSLoss = "ap", regularization: float,
    tol: float = 1e-3, max_iterations: int = 1000, group_weight: Array | None = None, n_jobs: int = 1,
    progress: bool = False,
) -> checks.RankingSVMFit:  # fmt: skip
    r"""Train the ranking SVM for a loss of rankings to a certified gap.

    .. math::

        \arg\min_w \; \tfrac{\lambda}{2} \|w\|^2
        + \frac{1}{G} \sum_{g=1}^G \max_R \left( \text{loss}(R) + F_g(R) - F_g(R_g^*) \right)

    Here :math:`\lambda` is `regularization`, G is the number of groups, :math:`F_g` is the score of a ranking of group
    g, as in `loss_augmented_inference`, with the scores X w, and :math:`R_g^*` is the perfect ranking. With
    `group_weight`, the mean is weighted.

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
    """
    X, relevant, rows, starts, loss, shares, options, _, progress = problems.fit_ranking_svm(
        X, relevant, groups=groups, loss=loss, regularization=regularization, tol=tol, max_iterations=max_iterations,
        group_weight=group_weight, n_jobs=n_jobs, progress=progress,
    )  # fmt: skip
    groups = list(_both_classes(relevant, rows, starts))

    def plane(weights):
        scores = checks.finite_array(X @ weights, "X @ weights")
        if loss == "zero_one":
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
