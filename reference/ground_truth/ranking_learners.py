"""Direct loss minimisation and latent ranking, on the ground truth of inference and of the ranking SVM.

Slow and obviously right, for groups of half a dozen samples. `reference.ranking_learners` explains the arguments.
"""

import numpy as np

from ..problems import checks
from .ranking import interleaving_ranks, loss_augmented_inference, rank_loss, semigradient
from .ranking_svm import fit_ranking_svm


def fit_direct_loss(
    X, relevant, *, groups=None, loss="ap", epsilon=0.1, step_size=1.0, max_iterations=100, weights=None
):
    """w <- w - step_size/epsilon * mean over groups of [grad F(R_epsilon) - grad F(R_w)]."""
    X, relevant, rows, starts = checks.sorted_groups(X, relevant, groups)
    X = (X.toarray() if hasattr(X, "toarray") else X).astype(np.float64)
    samples = [(X[here[relevant[here]]], X[here[~relevant[here]]]) for here in np.split(rows, starts[1:-1])]
    means = [positives.mean(axis=0) - negatives.mean(axis=0) for positives, negatives in samples]
    trail, losses = [np.mean(means, axis=0) if weights is None else np.asarray(weights, np.float64)], []
    for _ in range(max_iterations + 1):
        results = [_direct_step(p, n, trail[-1], loss, epsilon) for p, n in samples]
        losses.append(np.mean([value for value, _ in results]))
        trail.append(trail[-1] - step_size / epsilon * np.mean([slope for _, slope in results], axis=0))
    return checks.DirectLossFit(trail[int(np.argmin(losses))], np.array(losses))


def fit_latent_ranking_svm(
    X, bags, relevant, *, loss="ap", regularization, max_rounds=20, weights=None
):  # fmt: skip
    """Chooses the best window of each positive bag and solves a convex programme, in turns."""
    X, positive, rows, starts = checks.sorted_bags(X, relevant, bags)
    X = (X.toarray() if hasattr(X, "toarray") else X).astype(np.float64)
    windows = list(zip(np.split(rows, starts[1:-1]), positive, strict=True))
    candidates = [here for here, flag in windows if flag]
    negatives = [i for here, flag in windows if not flag for i in here]
    if weights is None:
        chosen = [here[np.argmin(((X[here] - X[here].mean(axis=0)) ** 2).sum(axis=1))] for here in candidates]
    else:
        chosen = [here[np.argmax(X[here] @ weights)] for here in candidates]
    objectives, last = [], None
    while len(objectives) < max_rounds and (last is None or list(chosen) != list(last)):
        samples = [*chosen, *negatives]
        w, value = fit_ranking_svm(
            X[samples], np.arange(len(samples)) < len(chosen), loss=loss, regularization=regularization
        )
        objectives.append(value)
        last, chosen = chosen, [here[np.argmax(X[here] @ w)] for here in candidates]
    return checks.LatentRankingFit(w, np.array(last), np.array(objectives), 0.0, None)


def _direct_step(positives, negatives, w, loss, epsilon):
    """Returns (loss of the ranking by scores, grad F(R_epsilon) - grad F(R_w)) of one group."""
    p, n = positives @ w, negatives @ w
    ranks, slope = interleaving_ranks(p, n), np.zeros(len(w))
    worse = loss_augmented_inference(p / epsilon, n / epsilon, loss).interleaving
    for sign, ranking in ((1, worse), (-1, ranks)):
        by_positive, by_negative = semigradient(p, n, ranking)
        slope += sign * (by_positive @ positives + by_negative @ negatives)
    return rank_loss(ranks, len(p), loss), slope
