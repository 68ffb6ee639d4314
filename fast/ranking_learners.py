"""Direct loss minimisation and latent windows, by grouped inference. `reference.ranking_learners` explains both."""

import numpy as np

from reference.problems import checks

from ._shared.threads import one_blas_thread, threads
from .ranking import LOSSES
from .ranking_svm import Products, Ranker, fit_ranking_svm

__all__ = ["fit_direct_loss", "fit_latent_ranking_svm"]


def fit_direct_loss(
    X, relevant, *, groups=None, loss="ap", epsilon=0.1, step_size=1.0, max_iterations=100, weights=None, n_jobs=1
):
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

    Notes
    -----
    The twin of `reference.fit_direct_loss`, with all groups at once. For :math:`\epsilon \to 0` the expected step tends
    to the gradient of the expected loss. The problem is not convex, and no certificate exists. In :math:`R_w` a tie
    counts against the positive. The inference for :math:`F + \epsilon \, \text{loss}` is the inference for loss + F
    with all scores divided by :math:`\epsilon`. The cost is O(n d + n log P) an iteration.

    References
    ----------
    * Paper 002 (Mohapatra et al.: Efficient Optimization for Rank-based Loss Functions, 2018), section 2.1.
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
    loss, options = checks.qs_loss(loss, LOSSES), checks.direct_options(epsilon, step_size, max_iterations)
    with threads(checks.thread_count(n_jobs)) as each, one_blas_thread():
        ranker, products = Ranker(relevant, rows, starts, loss, each=each), Products(X, each)
        w = products.slope(ranker.towards_perfect()) if weights is None else checks.start(weights, X.shape[1])
        best, losses = (np.inf, None), []
        for step in range(options.max_iterations + 1):
            scores = products.scores(w)
            checks.finite_array(scores / options.epsilon, "X @ weights / epsilon")
            ranks, values = ranker.rank_by_scores(scores)
            losses.append(values.mean())
            best = min(best, (losses[-1], w), key=lambda pair: pair[0])
            if step < options.max_iterations:
                worse, _ = ranker.rank(scores / options.epsilon)
                w = w - options.step_size / options.epsilon * products.slope(2 * (worse - ranks) * ranker.weight)
    return checks.DirectLossFit(checks.in_range(best[1], X.dtype, "weights"), np.array(losses))


def fit_latent_ranking_svm(
    X, bags, relevant, *, loss="ap", regularization, tol=1e-3, max_iterations=1000, max_rounds=20, weights=None,
    n_jobs=1,
):  # fmt: skip
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

    Notes
    -----
    The twin of `reference.fit_latent_ranking_svm`. The hinge does not grow with the score of a positive. So for fixed
    weights the best window of a bag is the one with the highest score. Each of the two steps lowers the objective, up
    to the gap. The rounds settle, but maybe not at the global minimum. This is the concave-convex procedure.

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
    checks.ranking_options(regularization, tol, max_iterations)
    negatives = rows[np.repeat(~positive, np.diff(starts))]
    candidates, bag_of = rows[np.repeat(positive, np.diff(starts))], np.repeat(positive.cumsum() - 1, np.diff(starts))
    bag_of = bag_of[np.repeat(positive, np.diff(starts))]
    options = {"loss": loss, "regularization": regularization, "tol": tol, "max_iterations": max_iterations}
    options["n_jobs"] = checks.thread_count(n_jobs)
    if weights is None:
        chosen = _highest(candidates, bag_of, -_distances_from_mean(X[candidates], bag_of))
    else:
        chosen = _highest(candidates, bag_of, X[candidates] @ checks.start(weights, X.shape[1]))
    objectives = []
    for _ in range(max_rounds):
        samples = np.concatenate([chosen, negatives])
        fit = fit_ranking_svm(X[samples], np.arange(len(samples)) < len(chosen), **options)
        objectives.append(fit.primal)
        last, chosen = chosen, _highest(candidates, bag_of, X[candidates] @ fit.weights)
        if (chosen == last).all() or (len(objectives) > 1 and objectives[-2] - objectives[-1] <= tol * objectives[-1]):
            break
    return checks.LatentRankingFit(fit.weights, last, np.array(objectives), fit.gap, fit)


def _highest(candidates, bag_of, scores):
    """Returns the candidate with the highest score in each bag, the first one of a tie."""
    order = np.lexsort((np.arange(len(scores)), -scores, bag_of))
    return candidates[order[np.flatnonzero(np.diff(bag_of[order], prepend=-1))]]


def _distances_from_mean(windows, bag_of):
    """Returns the squared distance of each window from the mean of its bag."""
    windows = windows.toarray() if hasattr(windows, "tocsr") else windows
    sums = np.zeros((bag_of[-1] + 1, windows.shape[1]))
    np.add.at(sums, bag_of, windows)
    return ((windows - (sums / np.bincount(bag_of)[:, None])[bag_of]) ** 2).sum(axis=1)
