"""Wrong versions of direct loss minimisation and of the latent ranking SVM."""

import numpy as np

import reference
from reference import ranking_learners
from reference.problems import checks
from tests.mutants import wrong


def nearest_to_the_mean(X, rows):
    return rows[((X[rows] - X[rows].mean(axis=0)) ** 2).sum(axis=1).argmin()]


def highest(scores, rows):
    return rows[scores[rows].argmax()]


def all_of_them(X, rows):
    return rows


def rounds(X, bags, relevant, first=nearest_to_the_mean, choose=highest, negatives=all_of_them, **options):
    """The rounds of fit_latent_ranking_svm, of which each part can be replaced."""
    right = reference.fit_latent_ranking_svm(X, bags, relevant, **options)  # refuses what is wrong
    max_rounds, weights, tol = options.pop("max_rounds", 20), options.pop("weights", None), options["tol"]
    data, bags, flags = X.astype(np.float64), np.asarray(bags), np.asarray(relevant).astype(bool)
    windows = [np.flatnonzero(bags == bag) for bag in np.unique(bags)]
    positive = [rows for rows in windows if flags[rows[0]]]
    others = np.concatenate([np.atleast_1d(negatives(data, rows)) for rows in windows if not flags[rows[0]]])
    start = [first(data, rows) for rows in positive]
    chosen = np.array(start if weights is None else [choose(data @ weights, rows) for rows in positive])
    objectives = []
    for _ in range(max_rounds):
        samples = np.concatenate([chosen, others])
        fit = reference.fit_ranking_svm(X[samples], np.arange(len(samples)) < len(chosen), **options)
        objectives.append(fit.primal)
        last, chosen = chosen, np.array([choose(data @ fit.weights, rows) for rows in positive])
        if (chosen == last).all() or (len(objectives) > 1 and objectives[-2] - objectives[-1] <= tol * objectives[-1]):
            break
    values = np.array(objectives)
    return right._replace(weights=fit.weights, chosen=last, objectives=values, gap=fit.gap, last_fit=fit)


@wrong("fit_direct_loss")
def direct_loss_epsilon_forgotten(X, relevant, *, epsilon=0.1, step_size=1.0, **options):
    """Its R_epsilon maximises F + loss for every epsilon, as the hinge does."""
    reference.fit_direct_loss(X, relevant, epsilon=epsilon, step_size=step_size, **options)  # refuses what is wrong
    return reference.fit_direct_loss(X, relevant, epsilon=1.0, step_size=step_size / epsilon, **options)


@wrong("fit_direct_loss")
def direct_loss_groups_as_one(X, relevant, *, weights=None, **options):
    """It starts from the class means over all samples instead of the mean over the groups."""
    fit = reference.fit_direct_loss(X, relevant, weights=weights, **options)
    if weights is not None:
        return fit
    flags, data = np.asarray(relevant).astype(bool), X.astype(np.float64)
    start = data[flags].mean(axis=0) - data[~flags].mean(axis=0)
    return reference.fit_direct_loss(X, relevant, weights=np.asarray(start).ravel(), **options)


@wrong("fit_direct_loss")
def direct_loss_last_weights(X, relevant, *, max_iterations=100, weights=None, **options):
    """It returns the weights after the last step instead of those with the smallest loss."""
    right = reference.fit_direct_loss(X, relevant, max_iterations=max_iterations, weights=weights, **options)
    last, before = None, weights
    for _ in range(max_iterations):  # one step, after which the second loss is either better or not
        last = after_one_step(X, relevant, before, **options)
        before = last
    return right._replace(weights=last.astype(right.weights.dtype))


def after_one_step(X, relevant, weights, *, groups=None, loss="ap", epsilon=0.1, step_size=1.0):
    X, relevant, rows, starts = checks.sorted_groups(X, relevant, groups)
    samples = [(here[relevant[here]], here[~relevant[here]]) for here in np.split(rows, starts[1:-1])]
    start = ranking_learners._difference_of_means(X, samples) if weights is None else np.asarray(weights, np.float64)
    loss = checks.qs_loss(loss, reference.ranking.LOSSES)
    return start - step_size / epsilon * (X.T @ ranking_learners._direct_step(X @ start, samples, loss, epsilon)[1])


@wrong("fit_direct_loss")
def direct_loss_step_not_divided(X, relevant, *, epsilon=0.1, step_size=1.0, **options):
    """Its steps have the length step_size instead of step_size / epsilon."""
    reference.fit_direct_loss(X, relevant, epsilon=epsilon, step_size=step_size, **options)  # refuses what is wrong
    return reference.fit_direct_loss(X, relevant, epsilon=epsilon, step_size=step_size * epsilon, **options)


@wrong("fit_latent_ranking_svm")
def latent_claims_optimum(X, bags, relevant, *, tol=1e-3, **options):
    """It fits each round to a gap of 0.1 and reports a gap of 0."""
    fit = reference.fit_latent_ranking_svm(X, bags, relevant, tol=max(0.1, tol), **options)
    history = fit.last_fit.history.copy()
    history.dual[-1], history.gap[-1] = fit.last_fit.primal, 0.0
    last = fit.last_fit._replace(dual=fit.last_fit.primal, gap=0.0, history=history)
    return fit._replace(gap=0.0, last_fit=last)


@wrong("fit_latent_ranking_svm")
def latent_first_windows(X, bags, relevant, **options):
    """It starts from the first window of each bag instead of the one nearest to the mean."""
    return rounds(X, bags, relevant, first=lambda X, rows: rows[0], **options)


@wrong("fit_latent_ranking_svm")
def latent_lowest_windows(X, bags, relevant, **options):
    """It chooses the window of each bag with the lowest score."""
    return rounds(X, bags, relevant, choose=lambda scores, rows: rows[scores[rows].argmin()], **options)


@wrong("fit_latent_ranking_svm")
def latent_one_negative_a_bag(X, bags, relevant, **options):
    """It uses one window of each negative bag instead of all."""
    return rounds(X, bags, relevant, negatives=nearest_to_the_mean, **options)


@wrong("fit_latent_ranking_svm")
def latent_windows_too_late(X, bags, relevant, **options):
    """It returns the windows its weights choose instead of those the weights were fitted to."""
    fit, bags = reference.fit_latent_ranking_svm(X, bags, relevant, **options), np.asarray(bags)
    scores = X.astype(np.float64) @ fit.weights
    windows = [np.flatnonzero(bags == bags[row]) for row in fit.chosen]
    return fit._replace(chosen=np.array([rows[scores[rows].argmax()] for rows in windows]))
