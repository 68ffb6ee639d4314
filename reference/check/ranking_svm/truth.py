"""The right rankings of groups by trying all, and the minimum by CVXPY, for groups of a few samples."""

import numpy as np

from ...ground_truth import ranking as enumeration
from ...ground_truth import ranking_svm as programmes
from ..judging.condition import Exactly, Minimum
from ..judging.simplify import unit_of
from ..proofs.rounding import answer_dtype, tolerance
from ..ranking.truth import size_of
from .bounds import members

LARGEST_GROUP, LARGEST_PROGRAMME = 5, 20  # samples
CVXPY_ERROR = 1e-7  # of the minimum, relative


def grouped_inference(problem):
    """The best of all rankings of each group, or None if there are too many. Their objectives are compared."""
    samples, scores = members(problem.relevant, problem.groups), problem.scores
    if max(len(p) + len(n) for p, n in samples) > LARGEST_GROUP:
        return None
    best = [enumeration.loss_augmented_inference(scores[p], scores[n], problem.loss) for p, n in samples]
    ranks = np.zeros(len(scores), np.int64)
    for (_, n), one in zip(samples, best, strict=True):
        ranks[n] = one.interleaving
    objective, lost = np.array([(one.objective, one.loss) for one in best]).T
    parts = {"interleaving": ranks, "objective": objective, "loss": lost}
    unit = np.array([size_of(scores[p], scores[n]) for p, n in samples])
    allowed = tolerance(answer_dtype(scores), min(len(p) for p, _ in samples))
    detail = "the objective of a group's ranks is {:.1e} below the best, relative"
    return Exactly(parts, unit=unit, allowed=allowed, detail=detail, recomputed=True)


def fit_ranking_svm(problem):
    """Returns the Minimum that CVXPY finds, or None if the instance is too large or the solver fails."""
    groups = members(problem.relevant, problem.groups)
    if max(len(p) + len(n) for p, n in groups) > LARGEST_GROUP or len(groups) * LARGEST_GROUP > LARGEST_PROGRAMME:
        return None
    kept = np.sort(np.concatenate([rows for group in groups for rows in group]))
    by_sample = problem.only("groups", "group_weight").items()
    options = {name: value if value is None else value[kept] for name, value in by_sample} | {"loss": problem.loss}
    X, unit = problem.X[kept].astype(np.float64), unit_of(problem.X)  # CVXPY fails on numbers that are far from 1
    options["regularization"] = problem.regularization / unit**2
    try:
        value = programmes.fit_ranking_svm(X / unit, problem.relevant[kept], **options)[1]
    except RuntimeError:
        return None
    return Minimum(float(value), max(CVXPY_ERROR, tolerance(np.float64, len(problem.X))))
