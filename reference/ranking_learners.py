"""Two more learners based on loss-augmented inference: direct loss minimisation, and latent windows.

Direct loss minimisation estimates the gradient of the expected loss itself. It compares the ranking by scores with a
ranking of slightly larger loss. A latent ranking SVM has several candidate windows for each positive sample, one of
which is the right one. It alternates between fitting the weights and choosing the window with the highest score.

Source: Paper 002 (Mohapatra et al.: Efficient Optimization for Rank-based Loss Functions, 2018), sections 2.1 and 4.2.
"""

from __future__ import annotations

import numpy as np

from .problems import checks
from .problems import ranking_learners as problems
from .problems.checks import QSLoss
from .problems.checks.types import Array, Matrix
from .ranking import interleaving_ranks, loss_augmented_inference, rank_loss, semigradient
from .ranking_svm import fit_ranking_svm

__all__ = ["fit_direct_loss", "fit_latent_ranking_svm"]


@checks.documented_by(problems.fit_direct_loss)
def fit_direct_loss(
    X: Matrix, relevant: Array, *, groups: Array | None = None, loss: str | QSLoss = "ap", epsilon: float = 0.1,
    step_size: float = 1.0, max_iterations: int = 100, weights: Array | None = None, n_jobs: int = 1,
) -> checks.DirectLossFit:  # fmt: skip
    r"""Train a ranking by direct loss minimisation: steps against an estimate of the gradient of the loss itself.

    .. math::

        w & \leftarrow w - \frac{\eta}{\epsilon} \, \text{mean over groups of }
        \nabla_w \left( F(R_\epsilon) - F(R_w) \right) \\
        R_\epsilon & = \arg\max_R \; F(R) + \epsilon \, \text{loss}(R)

    Here :math:`\eta` is `step_size`, and F is the score of a ranking, as in `loss_augmented_inference`, with the scores
    X w. :math:`R_w` is the ranking by scores, and :math:`R_\epsilon` has a slightly larger loss.

    Notes
    -----
    For :math:`\epsilon \to 0` the expected step tends to the gradient of the expected loss. The problem is not convex,
    and no certificate exists. In :math:`R_w` a tie counts against the positive. The inference for
    :math:`F + \epsilon \, \text{loss}` is the inference for loss + F with all scores divided by :math:`\epsilon`. The
    cost is O(n d + n log n) an iteration.
    """
    X, relevant, rows, starts, loss, epsilon, step_size, max_iterations, weights, _ = problems.fit_direct_loss(
        X, relevant, groups=groups, loss=loss, epsilon=epsilon, step_size=step_size, max_iterations=max_iterations,
        weights=weights, n_jobs=n_jobs,
    )  # fmt: skip
    samples = [(here[relevant[here]], here[~relevant[here]]) for here in np.split(rows, starts[1:-1])]
    w = _difference_of_means(X, samples) if weights is None else weights
    best, losses = (np.inf, None), []
    for step in range(max_iterations + 1):
        value, gradient = _direct_step(X @ w, samples, loss, epsilon)
        losses.append(value)
        best = min(best, (value, w), key=lambda pair: pair[0])
        if step < max_iterations:
            w = w - step_size / epsilon * (X.T @ gradient)
    return checks.DirectLossFit(checks.in_range(best[1], X.dtype, "weights"), np.array(losses))


@checks.documented_by(problems.fit_latent_ranking_svm)
def fit_latent_ranking_svm(
    X: Matrix, bags: Array, relevant: Array, *, loss: str | QSLoss = "ap", regularization: float, tol: float = 1e-3,
    max_iterations: int = 1000, max_rounds: int = 20, weights: Array | None = None, n_jobs: int = 1,
) -> checks.LatentRankingFit:  # fmt: skip
    r"""Train a ranking SVM whose positive samples each have several candidate windows, one of which is the right one.

    .. math::

        \min_w \; \min_h \; \tfrac{\lambda}{2} \|w\|^2
        + \max_R \left( \text{loss}(R) + F_h(R) - F_h(R^*) \right)

    Here :math:`\lambda` is `regularization`, and window h(b) represents the positive bag b. :math:`F_h` is the score of
    a ranking, as in `loss_augmented_inference`, with the scores X w of these windows, and :math:`R^*` is the perfect
    ranking.

    Notes
    -----
    The hinge does not grow with the score of a positive. So for fixed weights the best window of a bag is the one with
    the highest score. Each of the two steps lowers the objective, up to the gap. The rounds settle, but maybe not at
    the global minimum. The first step finds an upper bound that touches the objective at the weights, and the second
    minimises it.
    """
    X, positive, rows, starts, loss, options, max_rounds, weights, _ = problems.fit_latent_ranking_svm(
        X, bags, relevant, loss=loss, regularization=regularization, tol=tol, max_iterations=max_iterations,
        max_rounds=max_rounds, weights=weights, n_jobs=n_jobs,
    )  # fmt: skip
    windows = np.split(rows, starts[1:-1])
    candidates = [here for here, flag in zip(windows, positive, strict=True) if flag]
    negatives = np.concatenate([here for here, flag in zip(windows, positive, strict=True) if not flag])
    chosen, objectives = _first_choice(X, candidates, weights), []
    for _ in range(max_rounds):
        samples = np.concatenate([chosen, negatives])
        fit = fit_ranking_svm(X[samples], np.arange(len(samples)) < len(chosen), loss=loss, **options._asdict())
        objectives.append(fit.primal)
        last, chosen = chosen, _choice(X, candidates, fit.weights)
        settled = len(objectives) > 1 and objectives[-2] - objectives[-1] <= options.tol * objectives[-1]
        if settled or (chosen == last).all():
            break
    return checks.LatentRankingFit(fit.weights, last, np.array(objectives), fit.gap, fit)


def _direct_step(scores, samples, loss, epsilon):
    """Returns (mean loss of the ranking by scores, mean of grad F(R_epsilon) - grad F(R_w) in the scores)."""
    gradient, losses = np.zeros(len(scores)), []
    checks.finite_array(scores / epsilon, "X @ weights / epsilon")
    for p, n in samples:
        ranks = interleaving_ranks(scores[p], scores[n])
        worse = loss_augmented_inference(scores[p] / epsilon, scores[n] / epsilon, loss).interleaving
        losses.append(rank_loss(ranks, len(p), loss))
        for sign, ranking in ((1, worse), (-1, ranks)):
            by_positive, by_negative = semigradient(scores[p], scores[n], ranking)
            gradient[p] += sign * by_positive
            gradient[n] += sign * by_negative
    return float(np.mean(losses)), gradient / len(samples)


def _difference_of_means(X, samples):
    """Returns the mean of the positives minus that of the negatives, averaged over the groups."""
    by_sample = np.zeros(X.shape[0])
    for p, n in samples:
        by_sample[p], by_sample[n] = 1 / len(p), -1 / len(n)
    return X.T @ (by_sample / len(samples))


def _first_choice(X, candidates, weights):
    """Returns the windows of the first round: those of the given weights, or those nearest to the mean of their bag."""
    if weights is not None:
        return _choice(X, candidates, weights)
    chosen = []
    for here in candidates:
        windows = X[here].toarray() if hasattr(X, "tocsr") else X[here]
        chosen.append(here[((windows - windows.mean(axis=0)) ** 2).sum(axis=1).argmin()])
    return np.array(chosen)


def _choice(X, candidates, weights):
    """Returns the window with the highest score in each bag, the first one of a tie."""
    scores = X @ weights
    return np.array([here[scores[here].argmax()] for here in candidates])
