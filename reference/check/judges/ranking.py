"""Judges rankings, their losses and gradients: by all rankings of a few samples, or by a certificate."""

from math import comb

import numpy as np

from ...ground_truth import ranking as enumeration
from ...problems import checks
from ..judging.outcome import DIFFERS, Outcome, answer_dtype, described, form, remembered, tolerance
from ..ranking import bounds as certificates
from ..ranking.bounds import score

LARGEST_EXACT = 100  # pairs of a positive and a negative
MOST_RANKINGS = 500  # the ground truth tries no more
FIELDS = ("interleaving", "objective", "loss")


# --- losses of a given ranking -------------------------------------------------------------------------------------


def loss(name):
    """Returns the judge of ap_loss, ndcg_loss or rank_loss."""

    def judge(case, reply):
        expected, answer = true_loss(name, case.arguments), reply.answer
        if wrong := _number(answer, "the loss"):
            return wrong._replace(expected=expected)
        error = abs(float(answer) - expected)
        allowed = tolerance(np.float64, case.arguments["interleaving"].size + case.arguments["n_positive"])
        reason = "" if error <= allowed else DIFFERS
        return Outcome(reason, f"by {error:.1e}", error, None, expected, answer)

    return judge


def true_loss(name, arguments):
    """Returns the loss by its definition: from the places in the ranking, or from the pairs in the wrong order."""
    ranks, P = checks.interleaving(arguments["interleaving"], arguments["n_positive"])
    which = arguments.get("loss", "ap") if name == "rank_loss" else name.removesuffix("_loss")
    if ranks.size * P <= LARGEST_EXACT:
        return getattr(enumeration, name)(**arguments)
    return walked(ranks, P, which)


def walked(ranks, P, loss):
    """Returns one of the three losses of a ranking of any size."""
    if loss == "auc":
        return int(np.sum(P + 1 - ranks)) / (P * len(ranks))
    return enumeration.ap_loss(ranks, P) if loss == "ap" else enumeration.ndcg_loss(ranks, P)


# --- ranks by score ------------------------------------------------------------------------------------------------


def interleaving_ranks(case, reply):
    """Judge of interleaving_ranks. Nothing is rounded, so the answer must be exact."""
    arguments, answer = case.arguments, reply.answer
    expected = true_ranks(arguments)
    if wrong := form(answer, arguments["negative_scores"].shape, np.dtype(np.int64)):
        return wrong._replace(expected=expected)
    misplaced = certificates.interleaving_ranks(answer, **arguments)
    outcome = Outcome("", "", None, misplaced, expected, answer)
    if expected is not None:
        outcome = outcome._replace(error=float(np.abs(answer - expected).max()))
        if outcome.error > 0:
            return outcome._replace(reason=DIFFERS, detail=f"by {outcome.error:.0f} positives")
    if misplaced > 0:
        return outcome._replace(reason="certificate", detail=f"{100 * misplaced:.2g} % of the negatives are misplaced")
    return outcome


def true_ranks(arguments):
    """Returns the ranks by comparing all pairs, or None if there are too many."""
    p, n = arguments["positive_scores"], arguments["negative_scores"]
    return enumeration.interleaving_ranks(p, n) if p.size * n.size <= 100 * LARGEST_EXACT else None


# --- inference -----------------------------------------------------------------------------------------------------


def loss_augmented_inference(case, reply):
    """Judge of loss_augmented_inference. Objective and loss are recomputed from the interleaving."""
    arguments, answer = case.arguments, reply.answer
    p, n = (arguments[name].astype(np.float64) for name in ("positive_scores", "negative_scores"))
    dtype = _common(arguments)
    truth = true_inference(arguments)
    if wrong := _form(answer, len(p), len(n)):
        return wrong._replace(expected=truth)
    unit, which = 1 + max(p.max() - n.min(), n.max() - p.min()), arguments.get("loss", "ap")
    residual = certificates.loss_augmented_inference(answer["interleaving"], **arguments)
    allowed = tolerance(dtype, len(p))
    lost = walked(answer["interleaving"], len(p), which)
    value = lost + score(p, n, answer["interleaving"])
    outcome = Outcome("", "", None, residual, truth, {field: answer[field] for field in FIELDS})
    if truth is not None:
        outcome = outcome._replace(error=abs(truth["objective"] - value) / unit)
        if outcome.error > allowed:
            detail = f"the objective of this ranking is {value:.8g}, the best {truth['objective']:.8g}"
            return outcome._replace(reason=DIFFERS, detail=detail)
    if not residual <= allowed:
        return outcome._replace(reason="certificate", detail=f"a negative could gain {residual:.1e}")
    if wrong := unconventional(answer["interleaving"], p, n, which):
        return outcome._replace(reason=DIFFERS, detail=wrong)
    return _reported(outcome, answer, {"objective": value, "loss": lost}, unit, tolerance(dtype, len(p) + len(n)))


def unconventional(ranks, p, n, loss):
    """Returns what is wrong with a best ranking that is not the documented one of several, or nothing."""
    if certificates.out_of_order(ranks, p, n):
        return "right in value, but rank in the order of the scores, and the first of equal negatives higher"
    if certificates.lower_of_several(ranks, p, n, loss):
        return "right in value, but take the highest of several best ranks"
    return ""


@remembered
def true_inference(arguments):
    """Returns the best of all rankings as a dict of fields, or None if there are too many."""
    P, N = (arguments[name].size for name in ("positive_scores", "negative_scores"))
    if comb(P + N, N) > MOST_RANKINGS:
        return None
    return enumeration.loss_augmented_inference(**arguments)._asdict()


def _form(answer, P, N):
    """Returns the Outcome of an answer that is not an Inference of N ranks, or None."""
    if not isinstance(answer, dict) or not set(FIELDS) <= set(answer):
        return Outcome("wrong type", f"an inference should be an Inference, got {described(answer)}", got=answer)
    wrong = form(answer["interleaving"], (N,), np.dtype(np.int64), "interleaving")
    wrong = wrong or _number(answer["objective"], "objective") or _number(answer["loss"], "loss")
    if wrong is None and not (1 <= answer["interleaving"].min() and answer["interleaving"].max() <= P + 1):
        wrong = Outcome("out of range", f"interleaving should hold ranks in 1..{P + 1}", got=answer)
    return wrong


def _reported(outcome, answer, expected, unit, allowed):
    """Checks that the reported objective and loss are those of the interleaving."""
    for field, size in (("objective", unit), ("loss", 1.0)):
        if not abs(float(answer[field]) - expected[field]) <= allowed * size:
            detail = f"reports {field} {answer[field]:.8g}, its interleaving has {expected[field]:.8g}"
            return outcome._replace(reason="reports something else", detail=detail, expected=expected)
    return outcome


# --- gradients -----------------------------------------------------------------------------------------------------


def semigradient(case, reply):
    """Judge of semigradient: by finite differences for a few samples, by counting pairs for many."""
    arguments, answer = case.arguments, reply.answer
    p, n, _ = arguments.values()
    expected, dtype = true_gradient(arguments), _common(arguments)
    shown = dict(zip(("by_positive", "by_negative"), expected, strict=True))
    if not isinstance(answer, (list, tuple)) or len(answer) != 2:
        detail = f"it should be two arrays, got {described(answer)}"
        return Outcome("wrong type", detail, expected=shown, got=answer)
    got = dict(zip(shown, answer, strict=True))
    for name, scores in (("by_positive", p), ("by_negative", n)):
        if wrong := form(got[name], scores.shape, dtype, name):
            return wrong._replace(expected=shown)
    # Errors are relative to the largest slope that a score can have, that of all its pairs.
    errors = {name: float(np.abs(got[name] - shown[name]).max() * len(got[name]) / 2) for name in shown}
    outcome = Outcome("", "", max(errors.values()), None, shown, got)
    for name, error in errors.items():
        if not error <= tolerance(dtype, 1):
            return outcome._replace(reason=DIFFERS, detail=f"{name} by {error:.1e}, relative")
    return outcome


def true_gradient(arguments):
    """Returns (by positive, by negative) in the dtype of the answer."""
    p, n, ranks = arguments.values()
    if p.size * n.size <= LARGEST_EXACT:
        return enumeration.semigradient(p, n, ranks)
    P, N = len(p), len(n)
    by_positive = np.zeros(P)
    for place, i in enumerate(np.argsort(-p.astype(np.float64), kind="stable"), start=1):
        by_positive[i] = -2 * np.count_nonzero(ranks <= place) / P / N
    by_negative = (P - (ranks - 1)) * 2 / P / N
    return by_positive.astype(_common(arguments)), by_negative.astype(_common(arguments))


def _common(arguments):
    """Returns float32 if the scores of both classes are float32, and float64 otherwise."""
    return np.result_type(*(answer_dtype(arguments[name]) for name in ("positive_scores", "negative_scores")))


def _number(value, name):
    """Returns the Outcome of a value that is not a finite number, or None."""
    if not isinstance(value, (int, float, np.number)) or isinstance(value, bool) or not np.isfinite(value):
        return Outcome("wrong type", f"{name} should be a finite number, got {described(value)}", got=value)
    return None
