"""fit_latent_ranking_svm that uses one window of each negative bag instead of all."""

from tests.mutants.ranking_learners import _latent

FUNCTION = "fit_latent_ranking_svm"
REASON = "differs from the ground truth"


def fit_latent_ranking_svm(X, bags, relevant, **options):
    return _latent.fit(X, bags, relevant, negatives=_latent.nearest_to_the_mean, **options)
