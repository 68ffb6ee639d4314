"""fit_latent_ranking_svm that goes on with the window of each bag that scores lowest."""

import _latent


def fit_latent_ranking_svm(X, bags, relevant, **options):
    return _latent.fit(X, bags, relevant, choose=lambda scores, rows: rows[scores[rows].argmin()], **options)
