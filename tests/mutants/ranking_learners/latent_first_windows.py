"""fit_latent_ranking_svm that starts from the first window of each bag instead of the one nearest to the mean."""

from tests.mutants.ranking_learners import _latent

FUNCTION = "fit_latent_ranking_svm"
REASON = "differs from the ground truth"


def fit_latent_ranking_svm(X, bags, relevant, **options):
    return _latent.fit(X, bags, relevant, first=lambda X, rows: rows[0], **options)
