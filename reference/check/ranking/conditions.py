"""Conditions of rankings, their losses and slopes: definitions, and the exchange argument of inference."""

import numpy as np

from ..judging.condition import DIFFERS, Condition
from ..proofs.rounding import answer_dtype, tolerance
from . import bounds

GAIN = "gain of the negatives by other ranks, relative to 1 + their distance to the positives"
ORDER = "ranks that do not follow the scores, the first of equal ones first"
HIGHEST = "ranks that are not the highest of several best ones"
IN_VALUE = "The answer is right in value: no ranking has a larger objective, up to rounding."
CONVENTIONS = {
    ORDER: "right in value, but rank in the order of the scores, and the first of equal negatives higher",
    HIGHEST: "right in value, but take the highest of several best ranks",
}


def ap_loss(problem, loss):
    """The loss is that of the definition."""
    return _loss(problem, loss, "ap")


def ndcg_loss(problem, loss):
    """The loss is that of the definition."""
    return _loss(problem, loss, "ndcg")


def rank_loss(problem, loss):
    """The loss is that of the definition, or the sum of its derivative."""
    return _loss(problem, loss, problem.loss)


def _loss(problem, value, loss):
    apart = bounds.rank_loss(float(value), problem.interleaving, problem.n_positive, loss)
    allowed = tolerance(answer_dtype(value), len(problem.interleaving) + problem.n_positive)
    return [Condition(apart, allowed, "difference from the definition of the loss")]


def interleaving_ranks(problem, ranks):
    """Each negative is between the positives that its rank names."""
    misplaced = bounds.interleaving_ranks(ranks, problem.positive_scores, problem.negative_scores)
    what = "share of the negatives that are not between the positives that their rank names"
    return [Condition(misplaced, 0.0, what, detail=f"{100 * misplaced:.2g} % of the negatives are misplaced")]


def semigradient(problem, by_positive, by_negative):
    """The slopes are those of eq. (5), by counting pairs."""
    slopes, scores = (by_positive, by_negative), (problem.positive_scores, problem.negative_scores)
    apart = bounds.semigradient(slopes, *scores, problem.interleaving)
    dtype = np.float32 if np.float32 in (by_positive.dtype, by_negative.dtype) else np.float64
    what = "difference from eq. (5), relative to the largest slope of its kind"
    return [Condition(apart, tolerance(dtype, 1), what, reason=DIFFERS, detail=f"by {apart:.1e}, relative")]


def loss_augmented_inference(problem, interleaving, **reported):
    """No negative gains by another rank, the conventions are kept, and the numbers are those of the ranks."""
    p, n = problem.positive_scores, problem.negative_scores
    return of_ranks(interleaving, p, n, problem.loss, reported)


def of_ranks(ranks, p, n, loss, reported, where=""):
    """Yields the conditions of one ranking. Those of the conventions come only if they are broken.

    `reported` may have the objective and the loss, and `where` names the group.
    """
    if not (1 <= ranks.min() and ranks.max() <= len(p) + 1):
        text = f"ranks{where} that are not in 1..{len(p) + 1}"
        yield Condition(np.inf, 0.0, text, reason="out of range", detail=f"there are {text}")
        return
    dtype, exactly = np.result_type(answer_dtype(p), answer_dtype(n)), (p.astype(np.float64), n.astype(np.float64))
    gain = bounds.loss_augmented_inference(ranks, p, n, loss)
    right, best, detail = {}, None, f"a negative{where} could gain {gain:.1e}"
    if reported:  # a loss of one's own takes a sum over all pairs
        lost = bounds.loss_of(np.sort(ranks), len(p), bounds.derivative_of(loss, len(p), len(n)), loss)
        right = {"objective": lost + bounds.score(*exactly, ranks), "loss": lost}
        best = {"objective": right["objective"]}
    yield Condition(gain, tolerance(dtype, len(p)), f"{GAIN}{where}", detail=detail, expected=best)
    broken = {ORDER: bounds.out_of_order(ranks, p, n), HIGHEST: bounds.lower_of_several(ranks, p, n, loss)}
    for what, count in broken.items():
        if count:
            yield Condition(count, 0.0, f"{what}{where}", IN_VALUE, DIFFERS, f"{CONVENTIONS[what]}{where}")
    size = max(1.0, abs(right.get("loss", 0.0)))
    for name, unit in (("objective", size + spread(*exactly)), ("loss", size)):
        if name in reported:
            got, what = float(reported[name]), f"distance of the {name} from that of the ranks, relative{where}"
            detail = f"reports {name} {got:.8g}{where}, its ranks have {right[name]:.8g}"
            others = {"reason": "reports something else", "detail": detail, "expected": right}
            yield Condition(abs(got - right[name]) / unit, tolerance(dtype, len(p) + len(n)), what, **others)


def spread(p, n):
    """Returns the largest distance of a negative from a positive, or of a positive from a negative, by their signs."""
    return max(p.max() - n.min(), n.max() - p.min())
