"""fit_latent_ranking_svm that chooses the window of each bag with the lowest score."""

from tests.mutants.ranking_learners import _latent

FUNCTION = "fit_latent_ranking_svm"
REASON = "differs from the ground truth"


def fit_latent_ranking_svm(X, bags, relevant, **options):
    return _latent.fit(X, bags, relevant, choose=lambda scores, rows: rows[scores[rows].argmin()], **options)
