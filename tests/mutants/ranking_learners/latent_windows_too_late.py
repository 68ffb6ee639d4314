"""fit_latent_ranking_svm that returns the windows its weights choose instead of those the weights were fitted to."""

import numpy as np

import reference

FUNCTION = "fit_latent_ranking_svm"
REASON = "differs from the ground truth"


def fit_latent_ranking_svm(X, bags, relevant, **options):
    fit, bags = reference.fit_latent_ranking_svm(X, bags, relevant, **options), np.asarray(bags)
    scores = X.astype(np.float64) @ fit.weights
    windows = [np.flatnonzero(bags == bags[row]) for row in fit.chosen]
    return fit._replace(chosen=np.array([rows[scores[rows].argmax()] for rows in windows]))
