"""The statements of `reference.ranking_learners`, and their Problems."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from . import checks
from .checks import QSLoss
from .checks.ranking import RankingOptions
from .checks.types import Array, Floats, Matrix
from .ranking import RANKINGS
from .ranking_svm import SVM_LOSSES

__all__ = ["fit_direct_loss", "fit_latent_ranking_svm"]


class DirectLossProblem(NamedTuple):
    """Samples in groups: rows[starts[g]:starts[g + 1]] are those of the g-th. Without weights, these are None."""

    X: Matrix
    relevant: np.ndarray
    rows: np.ndarray
    starts: np.ndarray
    loss: str | QSLoss
    epsilon: float
    step_size: float
    max_iterations: int
    weights: Floats | None
    n_jobs: int


class LatentRankingProblem(NamedTuple):
    """Windows in bags: rows[starts[b]:starts[b + 1]] are those of bag b. positive (bags,) has the flags of the bags."""

    X: Matrix
    positive: np.ndarray
    rows: np.ndarray
    starts: np.ndarray
    loss: str | QSLoss
    options: RankingOptions
    max_rounds: int
    weights: Floats | None
    n_jobs: int


def fit_direct_loss(
    X: Matrix, relevant: Array, *, groups: Array | None = None, loss: str | QSLoss = "ap", epsilon: float = 0.1,
    step_size: float = 1.0, max_iterations: int = 100, weights: Array | None = None, n_jobs: int = 1,
) -> DirectLossProblem:  # fmt: skip
    r"""Train a ranking by direct loss minimisation: steps against an estimate of the gradient of the loss itself.

    .. math::

        w & \leftarrow w - \frac{\eta}{\epsilon} \, \text{mean over groups of }
        \nabla_w \left( F(R_\epsilon) - F(R_w) \right) \\
        R_\epsilon & = \arg\max_R \; F(R) + \epsilon \, \text{loss}(R)

    Here :math:`\eta` is `step_size`, and F is the score of a ranking, as in `loss_augmented_inference`, with the scores
    X w. :math:`R_w` is the ranking by scores, and :math:`R_\epsilon` has a slightly larger loss.

    Parameters
    ----------
    X : array or scipy CSR or CSC matrix, shape (n, d), float32 or float64
        Features, one row a sample.
    relevant : bool array, shape (n,)
        Which samples are positive.
    groups : int array, shape (n,), optional
        The number of each sample's group. If not given, all samples are one group.
    loss : {"ap", "ndcg", "auc"} or QSLoss
        The loss of a ranking.
    epsilon : float, > 0
        The weight of the loss in the inference. A smaller value comes closer to the gradient and adds more noise.
    step_size : float, > 0
        The length of a step, in units of the estimated gradient.
    max_iterations : int, >= 1
        The number of steps.
    weights : array, shape (d,), optional
        The starting point. If not given, the mean of the positives minus that of the negatives, averaged over groups.
    n_jobs : int
        Number of threads, or -1 for one per processor. The answer does not depend on it.

    Returns
    -------
    fit : DirectLossFit
        weights (d,), those of the smallest loss on the way, and losses (max_iterations + 1,), the means over the groups
        before each step and after the last.

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
    * Paper 002 (Mohapatra et al.: Efficient Optimization for Rank-based Loss Functions, 2018), section 2.1 with
      problem (3).
    * Paper (Song, Schwing, Zemel, Urtasun: Training Deep Neural Networks via Direct Loss Minimization, 2016).
    * Paper (McAllester, Hazan, Keshet: Direct Loss Minimization for Structured Prediction, 2010).

    Examples
    --------
    >>> random = np.random.default_rng(0)
    >>> X, groups = random.normal(size=(60, 3)), np.arange(60) // 12
    >>> fit = fit_direct_loss(X, X[:, 0] + random.normal(size=60) > 0.5, groups=groups, weights=[1.0, 1.0, 1.0])
    >>> print(f"{fit.losses[0]:.3f} -> {fit.losses.min():.3f}")
    0.382 -> 0.236
    """
    X, relevant, rows, starts = checks.sorted_groups(X, relevant, groups)
    loss, epsilon = checks.qs_loss(loss, RANKINGS), checks.positive(epsilon, "epsilon")
    step_size, max_iterations = checks.positive(step_size, "step_size"), checks.count(max_iterations, "max_iterations")
    n_jobs, weights = checks.thread_count(n_jobs), checks.start(weights, X.shape[1])
    return DirectLossProblem(X, relevant, rows, starts, loss, epsilon, step_size, max_iterations, weights, n_jobs)


def fit_latent_ranking_svm(
    X: Matrix, bags: Array, relevant: Array, *, loss: str | QSLoss = "ap", regularization: float, tol: float = 1e-3,
    max_iterations: int = 1000, max_rounds: int = 20, weights: Array | None = None, n_jobs: int = 1,
) -> LatentRankingProblem:  # fmt: skip
    r"""Train a ranking SVM whose positive samples each have several candidate windows, one of which is the right one.

    .. math::

        \min_w \; \min_h \; \tfrac{\lambda}{2} \|w\|^2
        + \max_R \left( \text{loss}(R) + F_h(R) - F_h(R^*) \right)

    Here :math:`\lambda` is `regularization`, and window h(b) represents the positive bag b. :math:`F_h` is the score of
    a ranking, as in `loss_augmented_inference`, with the scores X w of these windows, and :math:`R^*` is the perfect
    ranking.

    Parameters
    ----------
    X : array or scipy CSR or CSC matrix, shape (n, d), float32 or float64
        Features of candidate windows, one row a window.
    bags : int array, shape (n,)
        The number of each window's bag, such as the image that it belongs to.
    relevant : bool array, shape (n,)
        Whether the bag is positive, the same for all its windows. All windows of negative bags are negative samples.
    loss, regularization, tol, max_iterations, n_jobs
        As for `fit_ranking_svm`, which fits the weights in each round.
    max_rounds : int, >= 1
        The largest number of rounds. A round fits the weights, then it chooses the windows again.
    weights : array, shape (d,), optional
        The weights that choose the first windows. If not given, the window nearest to the mean of its bag is chosen.

    Returns
    -------
    fit : LatentRankingFit
        weights (d,); chosen (positive bags,), the rows of the windows that represent them; objectives (rounds,); gap,
        that of the last round; and last_fit, the RankingSVMFit of that round, which proves the gap.

    Raises
    ------
    ValueError
        An argument is not as described above; the windows of a bag have different flags; all bags are of one class.

    Warns
    -----
    ConvergenceWarning
        A round stops with a gap above `tol`.

    References
    ----------
    * Paper 002 (Mohapatra et al.: Efficient Optimization for Rank-based Loss Functions, 2018), section 4.2.
    * Paper (Behl, Jawahar, Kumar: Optimizing Average Precision using Weakly Supervised Data, 2014).

    Examples
    --------
    >>> X = np.array([[0.0, 1.0], [3.0, 0.0], [0.0, 0.9], [2.0, 0.1], [0.1, 1.0], [0.0, 1.1]])
    >>> bags, relevant = [0, 0, 1, 1, 2, 3], [1, 1, 1, 1, 0, 0]
    >>> fit = fit_latent_ranking_svm(X, bags, relevant, regularization=0.1, weights=np.array([1.0, 0.0]))
    >>> fit.chosen
    array([1, 3])
    """
    X, positive, rows, starts = checks.sorted_bags(X, relevant, bags)
    max_rounds = checks.count(max_rounds, "max_rounds")
    options, n_jobs = checks.ranking_options(regularization, tol, max_iterations), checks.thread_count(n_jobs)
    weights, loss = checks.start(weights, X.shape[1]), checks.qs_loss(loss, SVM_LOSSES)
    return LatentRankingProblem(X, positive, rows, starts, loss, options, max_rounds, weights, n_jobs)
