"""The arguments of ranking SVMs, direct loss minimisation and latent ranking."""

from .... import contract
from .ranking import RANKINGS

SVM_LOSSES = {**RANKINGS, "zero_one": None}


def fit_ranking_svm(
    X, relevant, groups, loss, regularization, tol, max_iterations, group_weight, n_jobs, progress
):  # fmt: skip
    """Check the samples, their groups and the weights of these, and the options. Returns features and relevance."""
    X, relevant, rows, starts = contract.sorted_groups(X, relevant, groups)
    contract.ranking_options(regularization, tol, max_iterations)
    contract.qs_loss(loss, SVM_LOSSES)
    contract.group_shares(group_weight, len(relevant), rows, starts)
    contract.thread_count(n_jobs)
    contract.flag(progress, "progress")
    return {"X": X, "relevant": relevant}


def fit_direct_loss(X, relevant, groups, loss, epsilon, step_size, max_iterations, weights, n_jobs):
    """Check the samples, their groups, the options and the weights to start from. Returns features and relevance."""
    X, relevant, *_ = contract.sorted_groups(X, relevant, groups)
    contract.qs_loss(loss, RANKINGS)
    contract.direct_options(epsilon, step_size, max_iterations)
    contract.thread_count(n_jobs)
    contract.start(weights, X.shape[1])
    return {"X": X, "relevant": relevant}


def fit_latent_ranking_svm(
    X, bags, relevant, loss, regularization, tol, max_iterations, max_rounds, weights, n_jobs
):  # fmt: skip
    """Check the windows, their bags, the options and the weights to start from. Returns the features."""
    X, *_ = contract.sorted_bags(X, relevant, bags)
    contract.count(max_rounds, "max_rounds")
    contract.ranking_options(regularization, tol, max_iterations)
    contract.thread_count(n_jobs)
    contract.start(weights, X.shape[1])
    contract.qs_loss(loss, SVM_LOSSES)
    return {"X": X}
