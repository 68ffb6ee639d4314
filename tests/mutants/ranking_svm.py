"""Wrong versions of the inference of groups and of the ranking SVM."""

import warnings

import numpy as np

import reference
from reference import ranking, ranking_svm
from reference._shared import cutting_planes
from reference.problems import checks
from tests.mutants import wrong


@wrong("fit_ranking_svm")
def claims_optimum(X, relevant, *, tol=1e-3, **options):
    """It stops at a gap of 0.1 and reports the primal as the dual."""
    fit = reference.fit_ranking_svm(X, relevant, tol=max(0.1, tol), **options)
    history = fit.history.copy()
    history.dual[-1], history.gap[-1] = fit.primal, 0.0
    return fit._replace(dual=fit.primal, gap=0.0, history=history)


@wrong("fit_ranking_svm")
def forgets_half(X, relevant, *, regularization, **options):
    """It has lambda |w|^2 where lambda/2 |w|^2 belongs."""
    return reference.fit_ranking_svm(X, relevant, regularization=2 * regularization, **options)


@wrong("fit_ranking_svm")
def forgets_perfect(X, relevant, *, groups=None, loss="ap", regularization, tol=1e-3, max_iterations=1000):
    """It minimises max_R [loss(R) + F(R)], without the score F(R*) of the perfect ranking."""
    X, relevant, rows, starts = checks.sorted_groups(X, relevant, groups)
    options = checks.ranking_options(regularization, tol, max_iterations)
    samples, known = list(ranking_svm._both_classes(relevant, rows, starts)), {**ranking.LOSSES, "zero_one": None}
    loss, shares = checks.qs_loss(loss, known), checks.group_shares(None, len(relevant), rows, starts)

    def hinge(scores):
        if loss is None:
            return ranking_svm._hinge_of_samples(scores, samples, shares)
        _, lost, gradient = ranking_svm._hinge_of_rankings(scores, samples, shares, loss)
        for p, n in samples:
            gradient[p] += 1 / len(p) / len(samples)
            gradient[n] -= 1 / len(n) / len(samples)
        return lost + gradient @ scores, lost, gradient

    def plane(weights):
        value, lost, gradient = hinge(X @ weights)
        return value, lost, X.T @ gradient

    return cutting_planes.minimise_by_planes(plane, np.zeros(X.shape[1]), X.dtype, options, False)[0]


@wrong("grouped_inference", "reports something else")
def groups_as_they_come(scores, relevant, groups=None, loss="ap"):
    """It lists objectives and losses by first appearance of the groups instead of by number."""
    inference = reference.grouped_inference(scores, relevant, groups, loss)
    if groups is None:
        return inference
    flags = np.asarray(relevant).astype(bool)
    numbers = [g for g in np.unique(groups) if 0 < flags[groups == g].sum() < np.sum(groups == g)]
    order = np.argsort([np.flatnonzero(groups == g)[0] for g in numbers])
    return inference._replace(objective=inference.objective[order], loss=inference.loss[order])


@wrong("fit_ranking_svm")
def ignores_groups(X, relevant, *, groups=None, **options):
    """It ranks all samples in one group."""
    if groups is not None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            reference.grouped_inference(np.zeros(len(relevant)), relevant, groups)  # which refuses what is wrong
        flags, groups = np.asarray(relevant).astype(bool), np.asarray(groups)
        if any(len(set(flags[groups == number])) < 2 for number in groups):
            warnings.warn("some groups are left out", stacklevel=2)
    return reference.fit_ranking_svm(X, relevant, **options)


@wrong("fit_ranking_svm")
def ignores_weights(X, relevant, *, group_weight=None, **options):
    """It gives all groups the same weight."""
    return reference.fit_ranking_svm(X, relevant, **options)


@wrong("fit_ranking_svm")
def last_point(X, relevant, *, tol=1e-3, regularization, **options):
    """It stops at a gap of 0.1 and names its last weights as the proof of its bound."""
    fit = reference.fit_ranking_svm(X, relevant, tol=max(0.1, tol), regularization=regularization, **options)
    dual, history = fit.primal * (1 - min(tol, fit.gap) / 2), fit.history.copy()
    gap = (fit.primal - dual) / fit.primal
    history.dual[-1], history.gap[-1] = dual, gap
    offset = dual + fit.slope @ fit.slope / (2 * regularization)
    proof = {"offset": float(offset), "points": fit.weights[None], "shares": np.ones(1)}
    return fit._replace(dual=float(dual), gap=float(gap), history=history, **proof)


@wrong("grouped_inference")
def numbers_all(scores, relevant, groups=None, loss="ap"):
    """Its ranks also count the positives of other groups."""
    inference = reference.grouped_inference(scores, relevant, groups, loss)
    flags, numbers = np.asarray(relevant).astype(bool), np.zeros(len(scores)) if groups is None else np.asarray(groups)
    earlier = np.array([np.sum(flags & (numbers < number)) for number in numbers])
    return inference._replace(interleaving=inference.interleaving + earlier * (inference.interleaving > 0))


@wrong("fit_ranking_svm", "no lower bound", certified=True)
def shares_not_normed(X, relevant, *, regularization, **options):
    """Its shares sum to 1.1, so that its planes do not bound the hinge from below."""
    fit = reference.fit_ranking_svm(X, relevant, regularization=regularization, **options)
    return fit._replace(shares=1.1 * fit.shares)


@wrong("fit_ranking_svm", "reports something else", certified=True)
def stale_gap(X, relevant, **options):
    """It reports the gap of the iteration before the one that found the weights."""
    fit = reference.fit_ranking_svm(X, relevant, **options)
    history = fit.history.copy()
    history.gap[1:] = fit.history.gap[:-1]
    return fit._replace(gap=float(history.gap[-1]), history=history)


@wrong("fit_ranking_svm")
def sums_groups(X, relevant, *, groups=None, regularization, **options):
    """It has the sum over the groups where the mean belongs."""
    flags, numbers = np.asarray(relevant).astype(bool), np.zeros(len(X)) if groups is None else np.asarray(groups)
    count = sum(0 < flags[numbers == number].sum() < (numbers == number).sum() for number in set(numbers.tolist()))
    share = regularization / max(count, 1)
    fit = reference.fit_ranking_svm(X, relevant, groups=groups, regularization=share, **options)
    history = fit.history.copy()
    history.primal *= count
    history.dual *= count
    return fit._replace(primal=count * fit.primal, dual=count * fit.dual, history=history)


@wrong("fit_ranking_svm", "reports something else", certified=True)
def wrong_plane(X, relevant, **options):
    """It has the sign of the slope flipped and an offset to match: the dual is right, the plane is wrong."""
    fit = reference.fit_ranking_svm(X, relevant, **options)
    return fit._replace(slope=-fit.slope)
