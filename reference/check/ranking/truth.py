"""The right rankings, losses and slopes: by all rankings and all pairs of a few samples, and losses of any size."""

from math import comb

import numpy as np

from ...ground_truth import ranking as enumeration
from ..judging.condition import Exactly
from ..proofs.rounding import answer_dtype, tolerance
from .conditions import spread

LARGEST_EXACT = 100  # pairs of a positive and a negative
MOST_RANKINGS = 500  # the ground truth tries no more


def ap_loss(problem):
    """The definition, from the places of the positives."""
    return _loss(problem, enumeration.ap_loss(problem.interleaving, problem.n_positive))


def ndcg_loss(problem):
    """The definition, from the places of the positives."""
    return _loss(problem, enumeration.ndcg_loss(problem.interleaving, problem.n_positive))


def rank_loss(problem):
    """The sum of the derivatives of a few samples, or the definition. None for many samples and another loss."""
    ranks, P, loss = problem.interleaving, problem.n_positive, problem.loss
    if ranks.size * P <= LARGEST_EXACT:
        return _loss(problem, enumeration.rank_loss(ranks, P, loss))
    if loss == "auc":
        return _loss(problem, int(np.sum(P + 1 - ranks)) / (P * len(ranks)))
    return {"ap": ap_loss, "ndcg": ndcg_loss}[loss](problem) if isinstance(loss, str) else None


def _loss(problem, value):
    allowed = tolerance(np.float64, problem.interleaving.size + problem.n_positive)
    return Exactly({"loss": value}, allowed=allowed, detail="by {:.1e}")


def interleaving_ranks(problem):
    """All pairs are compared. Nothing is rounded, so the answer must be exact. None if there are too many."""
    p, n = problem.positive_scores, problem.negative_scores
    if p.size * n.size > 100 * LARGEST_EXACT:
        return None
    return Exactly({"ranks": enumeration.interleaving_ranks(p, n)}, allowed=0.0, detail="by {:.0f} positives")


def loss_augmented_inference(problem):
    """The best of all rankings, or None if there are too many. Several may be as good, so objectives are compared."""
    p, n = problem.positive_scores, problem.negative_scores
    if comb(len(p) + len(n), len(n)) > MOST_RANKINGS:
        return None
    best = enumeration.loss_augmented_inference(p, n, problem.loss)
    allowed = tolerance(np.result_type(answer_dtype(p), answer_dtype(n)), len(p))
    detail = f"the best objective is {best.objective:.8g}, and that of this ranking is {{:.1e}} below it, relative"
    return Exactly(best._asdict(), unit=size_of(p, n), allowed=allowed, detail=detail, recomputed=True)


def size_of(p, n):
    """Returns the size of an objective: of the loss and of a mean of differences of scores."""
    return 1 + spread(p.astype(np.float64), n.astype(np.float64))


def semigradient(problem):
    """Differences for a few samples; None for many. Errors are relative to the slope that all pairs of a score have."""
    p, n = problem.positive_scores, problem.negative_scores
    if p.size * n.size > LARGEST_EXACT:
        return None
    right = dict(zip(("by_positive", "by_negative"), enumeration.semigradient(p, n, problem.interleaving), strict=True))
    unit = {name: 2 / len(slopes) for name, slopes in right.items()}
    return Exactly(right, unit=unit, allowed=tolerance(np.result_type(p, n), 1))
