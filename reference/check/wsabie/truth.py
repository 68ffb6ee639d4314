"""The right scores and ensembles by their definitions. Walks have a replay instead, among their conditions."""

import numpy as np

from ...ground_truth import wsabie
from ..judging.condition import Exactly
from ..proofs.rounding import answer_dtype, tolerance


def prototype_scores(problem):
    """The definition. The unit is that of the norms of the example and of the longest prototype."""
    X, fit = problem.X.astype(np.float64), problem.fit
    x, longest = np.linalg.norm(X, axis=1), np.linalg.norm(fit.prototypes, axis=1).max()
    reach = x if fit.embedding is None else x * np.linalg.norm(fit.embedding)
    units = longest * reach if fit.discriminant == "linear" else (longest + reach) ** 2
    allowed = tolerance(answer_dtype(problem.X), 1) + tolerance(np.float64, X.shape[1] + fit.prototypes.shape[1])
    scores = wsabie.prototype_scores(X, fit)
    return Exactly({"scores": scores}, unit=np.where(units > 0, units, 1.0)[:, None], allowed=allowed)


def concatenate_fits(problem):
    """The arrays side by side. Nothing is computed, so the answer must be exact."""
    right = wsabie.concatenate_fits(problem.fits)
    return Exactly({"prototypes": right.prototypes, "embedding": right.embedding}, allowed=0.0, detail="by {:.1e}")
