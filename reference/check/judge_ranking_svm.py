"""What makes a fitted ranking SVM right: an inference of its own, CVXPY, planes, and honest reports; and many rankings.

Only the weights of a fit are believed: from them the primal is recomputed. A lower bound has to be below the minimum,
which CVXPY knows for groups of a few samples; elsewhere it has to be below the primal of whatever weights are found by
cutting planes of this module's own, and below that of points between those and the weights returned.
"""

import numpy as np

from ..ground_truth import ranking as enumeration
from ..ground_truth import ranking_svm as programmes
from . import certificates_ranking as certificates
from .judge import Outcome, answer_dtype, described, form, tolerance
from .judge_ranking import DIFFERS, score, walked

LARGEST_GROUP, LARGEST_PROGRAMME = 5, 20  # samples
CVXPY_ERROR = 1e-7  # of the minimum, relative
PLANES, STEPS = 15, 200  # of the rival fit
INFERENCE = ("interleaving", "objective", "loss")
FIELDS = ("weights", "primal", "dual", "gap", "iterations", "history")
RECORDED = ("primal", "dual", "gap", "seconds")
EARLY = "ConvergenceWarning"


# --- inference, group by group -------------------------------------------------------------------------------------


def grouped_inference(case, reply):
    """Judge of grouped_inference: only the ranks are believed, and the rest is recomputed from them."""
    arguments, answer = case.arguments, reply.answer
    if not isinstance(answer, dict) or not set(INFERENCE) <= set(answer):
        return Outcome("wrong type", f"it should be an Inference, got {described(answer)}", got=answer)
    scores, loss, samples = arguments["scores"].astype(np.float64), arguments["loss"], _groups(arguments)
    wrong = form(answer["interleaving"], scores.shape, np.dtype(np.int64), "interleaving")
    for field in INFERENCE[1:]:
        wrong = wrong or form(answer[field], (len(samples),), np.dtype(np.float64), field)
    truth, shown = true_rankings(arguments), {field: answer[field] for field in INFERENCE}
    if wrong:
        return wrong._replace(expected=truth)
    ranks, ranked = answer["interleaving"], np.concatenate([n for _, n in samples])
    outcome = Outcome("", "", 0.0, 0.0, truth, shown)
    if np.delete(ranks, ranked).any():
        return outcome._replace(reason=DIFFERS, detail="positives and what is left out have rank 0")
    for g, (p, n) in enumerate(samples):
        outcome = _one_group(outcome, g, scores[p], scores[n], ranks[n], loss, answer_dtype(arguments["scores"]))
        if outcome.reason:
            return outcome
    return outcome


def true_rankings(arguments):
    """The best rankings as a dict of fields, None where there are too many to be tried."""
    samples, scores = _groups(arguments), arguments["scores"]
    if max(len(p) + len(n) for p, n in samples) > LARGEST_GROUP:
        return None
    ranks, best = np.zeros(len(scores), np.int64), []
    for p, n in samples:
        best.append(enumeration.loss_augmented_inference(scores[p], scores[n], arguments["loss"]))
        ranks[n] = best[-1].interleaving
    objective, lost = np.array([(one.objective, one.loss) for one in best]).T
    return {"interleaving": ranks, "objective": objective, "loss": lost}


def _one_group(outcome, g, p, n, ranks, loss, dtype):
    unit, allowed = 1 + max(p.max() - n.min(), n.max() - p.min()), tolerance(dtype, len(p) + len(n))
    if not (1 <= ranks.min() and ranks.max() <= len(p) + 1):
        return outcome._replace(reason="out of range", detail=f"the ranks of group {g} should be in 1..{len(p) + 1}")
    residual = certificates.loss_augmented_inference(ranks, p, n, loss)
    lost = walked(ranks, len(p), loss)
    value = lost + score(p, n, ranks)
    outcome = outcome._replace(certificate=max(outcome.certificate, residual))
    if outcome.expected is not None:
        error = abs(outcome.expected["objective"][g] - value) / unit
        outcome = outcome._replace(error=max(outcome.error, error))
        if not max(error, residual) <= allowed:
            detail = f"in group {g} the objective of these ranks is {value:.8g}, or a tie is broken the other way"
            return outcome._replace(reason=DIFFERS, detail=detail)
    if not residual <= allowed:
        detail = f"a negative of group {g} could gain {residual:.1e}, or ranks are not in the order of the scores"
        return outcome._replace(reason="certificate", detail=detail)
    for field, expected, size in (("objective", value, unit), ("loss", lost, 1.0)):
        if not abs(outcome.got[field][g] - expected) <= allowed * size:
            detail = f"reports {field} {outcome.got[field][g]:.8g} of group {g}, its ranks have {expected:.8g}"
            return outcome._replace(reason="reports something else", detail=detail)
    return outcome


# --- fits ----------------------------------------------------------------------------------------------------------


def fit_ranking_svm(case, reply):
    """Judge of fit_ranking_svm."""
    arguments, answer = case.arguments, reply.answer
    if wrong := _form(arguments, answer):
        return wrong
    problem, minimum = Problem(arguments), optimum(arguments)
    primal = problem.primal(answer["weights"].astype(np.float64))
    gap = max(0.0, (primal - float(answer["dual"])) / primal)
    error = None if minimum is None else abs(primal - minimum) / minimum
    truth = {"primal": primal, "gap": gap} | ({} if minimum is None else {"minimum": minimum})
    outcome = Outcome("", "", error, gap, truth, {field: answer[field] for field in FIELDS[:-1]})
    for check in (_optimal, _bound, _certified, _reported, history_kept):
        outcome = check(case, answer, problem, outcome)
        if outcome.reason:
            return outcome
    return outcome._replace(error=None, certificate=None) if case.warns == EARLY else outcome


def optimum(arguments):
    """The minimum that CVXPY finds; None if the instance is too large, or the solver gives up."""
    groups = _groups(arguments)
    if max(len(p) + len(n) for p, n in groups) > LARGEST_GROUP or len(groups) * LARGEST_GROUP > LARGEST_PROGRAMME:
        return None
    kept = np.sort(np.concatenate([i for group in groups for i in group]))
    X, relevant = arguments["X"][kept].astype(np.float64), arguments["relevant"][kept]
    numbers = None if arguments.get("groups") is None else arguments["groups"][kept]
    options = {"groups": numbers, "loss": arguments["loss"], "regularization": arguments["regularization"]}
    try:
        return float(programmes.fit_ranking_svm(X, relevant, **options)[1])
    except RuntimeError:
        return None


class Problem:
    """The primal and its planes: each negative tries all ranks, one after the other."""

    def __init__(self, arguments):
        self.X, self.loss, self.groups = arguments["X"].astype(np.float64), arguments["loss"], _groups(arguments)
        self.regularization = arguments["regularization"]
        self.rounding = max(CVXPY_ERROR, tolerance(np.float64, len(self.X)))
        self.size = self.primal(np.zeros(self.X.shape[1]))  # of the losses that are added up, where the primal is small

    def primal(self, weights):
        """regularization/2 |w|^2 plus the mean of the hinges."""
        offset, slope = self.plane(weights)
        return float(self.regularization / 2 * (weights @ weights) + offset + slope @ weights)

    def plane(self, weights):
        """(offset, slope) of a linear function that is nowhere above the mean of the hinges, and touches it here."""
        by_score, offset, scores = np.zeros(len(self.X)), 0.0, self.X @ weights
        for p, n in self.groups:
            if self.loss == "zero_one":
                broken = np.concatenate([p[scores[p] < 1], n[scores[n] > -1]])
                sign = np.where(np.isin(broken, p), -1.0, 1.0)
                lost, by_score[broken] = len(broken) / (len(p) + len(n)), sign / (len(p) + len(n))
            else:
                lost, by_score[p], by_score[n] = _worst(scores[p], scores[n], self.loss)
            offset += lost / len(self.groups)
        return offset, self.X.T @ by_score / len(self.groups)

    def rivals(self, weights):
        """Primals of other weights: those of cutting planes from 0 on, and points on the way from `weights` to them."""
        w, planes = np.zeros(self.X.shape[1]), []
        for _ in range(PLANES):
            planes.append(self.plane(w))
            yield self.primal(w)
            w = self._lowest(*map(np.array, zip(*planes, strict=True)))
            yield from (self.primal(weights + share * (w - weights)) for share in (0.1, 0.5))

    def _lowest(self, offsets, slopes):
        """About where the largest plane plus the penalty is smallest: Frank-Wolfe in the dual, with exact steps."""
        alpha = np.full(len(offsets), 1 / len(offsets))
        for _ in range(STEPS):
            w = -(alpha @ slopes) / self.regularization
            value = offsets + slopes @ w
            towards = np.eye(len(offsets))[value.argmax()] - alpha
            bend = np.sum((towards @ slopes) ** 2) / self.regularization
            if bend == 0:
                break
            alpha = alpha + np.clip(value @ towards / bend, 0, 1) * towards
        return -(alpha @ slopes) / self.regularization


def _worst(p, n, loss):
    """(the loss of the worst ranking, slopes of the hinge in the scores of the positives and of the negatives)."""
    P, N, down = len(p), len(n), np.argsort(-p, kind="stable")
    derivative, passed = certificates.derivative_of(loss, P, N), np.zeros((P, N), dtype=bool)
    for j, which in enumerate(np.argsort(-n, kind="stable"), start=1):
        gains = derivative(j, np.arange(1, P + 1)) - 2 * (p[down] - n[which]) / (P * N)
        sums = np.append(np.cumsum(gains[::-1])[::-1], 0.0)  # of the ranks 1..P+1
        passed[down[P - int(sums[::-1].argmax()) :], which] = True
    lost = walked(P + 1 - passed.sum(axis=0), P, loss)
    return lost, -2 * passed.sum(axis=1) / (P * N), 2 * passed.sum(axis=0) / (P * N)


def _groups(arguments):
    """(rows of the positives, rows of the negatives) of each group that has both, by number."""
    relevant, groups = arguments["relevant"].astype(bool), arguments.get("groups")
    groups = np.zeros(len(relevant), int) if groups is None else groups
    here = [groups == number for number in np.unique(groups)]
    parts = [(np.flatnonzero(rows & relevant), np.flatnonzero(rows & ~relevant)) for rows in here]
    kept = [(p, n) for p, n in parts if len(p) and len(n)]
    if not kept:
        raise ValueError("relevant must have both classes in a group")
    return kept


def _form(arguments, answer):
    """The Outcome of something that is not a RankingSVMFit of the right shapes, or None."""
    if not isinstance(answer, dict) or not set(FIELDS) <= set(answer):
        return Outcome("wrong type", f"a fit should be a RankingSVMFit, got {described(answer)}", got=answer)
    X = arguments["X"]
    wrong = form(answer["weights"], (X.shape[1],), answer_dtype(X), "weights")
    for field in ("primal", "dual", "gap", "iterations"):
        value = answer[field]
        if not isinstance(value, (int, float, np.number)) or isinstance(value, bool) or not np.isfinite(value):
            detail = f"{field} should be a finite number, got {described(value)}"
            wrong = wrong or Outcome("wrong type", detail, got=value)
    return wrong


def _optimal(case, answer, problem, outcome):
    """The primal of the weights is above the minimum by no more than `tol`, unless a warning is due."""
    minimum, primal = outcome.expected.get("minimum"), outcome.expected["primal"]
    if minimum is None or case.warns == EARLY:
        return outcome
    if not primal * (1 - case.arguments["tol"]) <= minimum * (1 + problem.rounding):
        detail = f"the primal of its weights is {primal:.8g}, the minimum {minimum:.8g}"
        return outcome._replace(reason=DIFFERS, detail=detail)
    return outcome


def _bound(case, answer, problem, outcome):
    """The dual is below the minimum; below the primals of other weights where nobody knows the minimum."""
    minimum, weights = outcome.expected.get("minimum"), answer["weights"].astype(np.float64)
    lowest = min(problem.rivals(weights)) if minimum is None else minimum
    if not answer["dual"] <= lowest * (1 + problem.rounding):
        known = "there are weights with a primal of" if minimum is None else "the minimum is"
        detail = f"reports a lower bound of {answer['dual']:.8g}, and {known} {lowest:.8g}"
        return outcome._replace(reason="no lower bound", detail=detail)
    return outcome


def _certified(case, answer, problem, outcome):
    """The gap between the recomputed primal and the dual is at most `tol`, unless a warning is due."""
    tol, truth = case.arguments["tol"], outcome.expected
    allowed = tolerance(answer["weights"].dtype, len(problem.X)) * max(1.0, problem.size / truth["primal"])
    if case.warns != EARLY and not truth["gap"] <= tol + allowed:
        detail = f"the primal of its weights is {truth['primal']:.8g}, its dual {answer['dual']:.8g}"
        return outcome._replace(reason="certificate", detail=detail)
    return outcome


def _reported(case, answer, problem, outcome):
    """Primal and gap are those of the weights returned."""
    allowed = 4 * tolerance(answer["weights"].dtype, len(problem.X))
    size = max(outcome.expected["primal"], problem.size)
    for field, unit in (("primal", size), ("gap", size / outcome.expected["primal"])):
        if not abs(float(answer[field]) - outcome.expected[field]) <= allowed * unit:
            detail = f"reports {field} {answer[field]:.6g}, its weights have {outcome.expected[field]:.6g}"
            return outcome._replace(reason="reports something else", detail=detail)
    if answer["gap"] < 0:
        return outcome._replace(reason="reports something else", detail="a negative gap")
    return outcome


def history_kept(case, answer, _, outcome):
    """One record an iteration, the last one that of the answer; bounds that are known do not get worse."""
    history, iterations = answer["history"], answer["iterations"]
    records = [history.get(field) for field in RECORDED] if isinstance(history, dict) else []
    complete = records and all(isinstance(r, np.ndarray) and r.shape == (iterations,) for r in records)
    if not complete or iterations < 1:
        detail = "one record (primal, dual, gap, seconds) an iteration is missing"
        return outcome._replace(reason="history", detail=detail)
    if any(history[field][-1] != answer[field] for field in ("primal", "dual", "gap")):
        return outcome._replace(reason="history", detail="its last record is not that of the answer")
    if (np.diff(history["primal"]) > 0).any() or (np.diff(history["dual"]) < 0).any():
        return outcome._replace(reason="history", detail="the best primal rises or the best dual falls")
    return outcome
