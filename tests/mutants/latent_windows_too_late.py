"""fit_latent_ranking_svm that returns the windows that its weights choose, and not those that they were fitted on."""

import numpy as np

import reference


def fit_latent_ranking_svm(X, bags, relevant, **options):
    fit, bags = reference.fit_latent_ranking_svm(X, bags, relevant, **options), np.asarray(bags)
    scores = X.astype(np.float64) @ fit.weights
    windows = [np.flatnonzero(bags == bags[row]) for row in fit.chosen]
    return fit._replace(chosen=np.array([rows[scores[rows].argmax()] for rows in windows]))
