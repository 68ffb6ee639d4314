"""fit_latent_ranking_svm that starts from the first window of each bag, and not from the one nearest to the mean."""

import _latent


def fit_latent_ranking_svm(X, bags, relevant, **options):
    return _latent.fit(X, bags, relevant, first=lambda X, rows: rows[0], **options)
