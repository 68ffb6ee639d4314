"""The arguments of ranking SVMs, direct loss minimisation and latent ranking."""

from ....problems import checks
from .ranking import RANKINGS

SVM_LOSSES = {**RANKINGS, "zero_one": None}


def fit_ranking_svm(
    X, relevant, groups, loss, regularization, tol, max_iterations, group_weight, n_jobs, progress
):  # fmt: skip
    """Check the samples, their groups and the weights of these, and the options. Returns features and relevance."""
    X, relevant, rows, starts = checks.sorted_groups(X, relevant, groups)
    checks.ranking_options(regularization, tol, max_iterations)
    checks.qs_loss(loss, SVM_LOSSES)
    checks.group_shares(group_weight, len(relevant), rows, starts)
    checks.thread_count(n_jobs)
    checks.flag(progress, "progress")
    return {"X": X, "relevant": relevant}


def fit_direct_loss(X, relevant, groups, loss, epsilon, step_size, max_iterations, weights, n_jobs):
    """Check the samples, their groups, the options and the weights to start from. Returns features and relevance."""
    X, relevant, *_ = checks.sorted_groups(X, relevant, groups)
    checks.qs_loss(loss, RANKINGS)
    checks.direct_options(epsilon, step_size, max_iterations)
    checks.thread_count(n_jobs)
    checks.start(weights, X.shape[1])
    return {"X": X, "relevant": relevant}


def fit_latent_ranking_svm(
    X, bags, relevant, loss, regularization, tol, max_iterations, max_rounds, weights, n_jobs
):  # fmt: skip
    """Check the windows, their bags, the options and the weights to start from. Returns the features."""
    X, *_ = checks.sorted_bags(X, relevant, bags)
    checks.count(max_rounds, "max_rounds")
    checks.ranking_options(regularization, tol, max_iterations)
    checks.thread_count(n_jobs)
    checks.start(weights, X.shape[1])
    checks.qs_loss(loss, SVM_LOSSES)
    return {"X": X}
