"""The rounds of fit_latent_ranking_svm with one part replaced, for the mutants in this folder."""

import numpy as np

import reference


def nearest_to_the_mean(X, rows):
    return rows[((X[rows] - X[rows].mean(axis=0)) ** 2).sum(axis=1).argmin()]


def highest(scores, rows):
    return rows[scores[rows].argmax()]


def all_of_them(X, rows):
    return rows


def fit(X, bags, relevant, first=nearest_to_the_mean, choose=highest, negatives=all_of_them, **options):
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
