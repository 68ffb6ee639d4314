"""fit_latent_ranking_svm for which a negative bag has one window, as a positive one has."""

import _latent


def fit_latent_ranking_svm(X, bags, relevant, **options):
    return _latent.fit(X, bags, relevant, negatives=_latent.nearest_to_the_mean, **options)
