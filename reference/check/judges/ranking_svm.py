"""Judges the fits of ranking SVMs that others contain, by certificates and by CVXPY.

At any size, the primal is recomputed from the weights, and the dual from the points and shares that prove it (see
`ranking_svm.bounds`). For groups of a few samples CVXPY knows the minimum, too.
"""

import numpy as np

from ...ground_truth import ranking_svm as programmes
from ..judging.outcome import DIFFERS, Outcome, answer_dtype, described, form, tolerance
from ..ranking_svm import bounds as proofs

LARGEST_GROUP, LARGEST_PROGRAMME = 5, 20  # samples
CVXPY_ERROR = 1e-7  # of the minimum, relative
NUMBERS = ("primal", "dual", "gap", "iterations", "offset")
FIELDS = ("weights", "slope", "points", "shares", *NUMBERS, "history")
RECORDED = ("primal", "dual", "gap", "seconds")
EARLY = "ConvergenceWarning"


# --- fits -----------------------------------------------------------------------------------------------------------


def judged_fit(case, answer, minimum):
    """Returns the Outcome of a RankingSVMFit of the right shapes. `minimum` is None if it is not known."""
    problem = Problem(case.arguments, answer)
    error = None if minimum is None else abs(problem.primal - minimum) / minimum
    truth = {"primal": problem.primal, "gap": problem.gap, "proved gap": problem.proved}
    truth |= {} if minimum is None else {"minimum": minimum}
    shown = {field: answer[field] for field in ("weights", *NUMBERS[:-1])}
    outcome = Outcome("", "", error, problem.proved, truth, shown)
    for check in (_optimal, _bound, _certified, _plane, _reported, history_kept):
        outcome = check(case, answer, problem, outcome)
        if outcome.reason:
            return outcome
    return outcome._replace(error=None, certificate=None) if case.warns == EARLY else outcome


def optimum(arguments):
    """Returns the minimum that CVXPY finds, or None if the instance is too large or the solver fails."""
    groups = _groups(arguments)
    if max(len(p) + len(n) for p, n in groups) > LARGEST_GROUP or len(groups) * LARGEST_GROUP > LARGEST_PROGRAMME:
        return None
    kept = np.sort(np.concatenate([i for group in groups for i in group]))
    X, relevant = arguments["X"][kept].astype(np.float64), arguments["relevant"][kept]
    by_sample = {name: arguments.get(name) for name in ("groups", "group_weight")}
    options = {name: None if value is None else value[kept] for name, value in by_sample.items()}
    options |= {"loss": arguments["loss"], "regularization": arguments["regularization"]}
    try:
        return float(programmes.fit_ranking_svm(X, relevant, **options)[1])
    except RuntimeError:
        return None


class Problem:
    """The hinge of the instance; the primal of an answer, its gap, and the gap that its points and shares prove."""

    def __init__(self, arguments, answer):
        options = (arguments.get(name) for name in ("groups", "loss", "group_weight"))
        self.hinge = proofs.MeanHinge(arguments["X"], arguments["relevant"], *options)
        self.regularization = arguments["regularization"]
        self.rounding = max(CVXPY_ERROR, tolerance(np.float64, len(arguments["X"])))
        # The size of the losses that are added up. The primal itself may be small.
        self.size = self.hinge.objective(np.zeros(self.hinge.d), self.regularization)
        self.primal, dual = self.hinge.objective(answer["weights"], self.regularization), float(answer["dual"])
        self.bound = proofs.lower_bound(self.hinge, answer["points"], answer["shares"], self.regularization, dual)
        self.gap = max(0.0, (self.primal - dual) / self.primal)
        objective = proofs.RankingObjective(self.hinge, self.regularization)
        self.proved = objective.proof(answer["weights"], answer["points"], answer["shares"], dual).value


def _groups(arguments):
    return proofs.members(arguments["relevant"], arguments.get("groups"))


def form_of_fit(X, answer, what="a fit"):
    """Returns the Outcome of an answer that is not a RankingSVMFit of the right shapes, or None."""
    if not isinstance(answer, dict) or not set(FIELDS) <= set(answer):
        return Outcome("wrong type", f"{what} should be a RankingSVMFit, got {described(answer)}", got=answer)
    points, (d, dtype) = answer["points"], (X.shape[1], answer_dtype(X))
    count = len(points) if np.ndim(points) else 0
    wrong = form(answer["weights"], (d,), dtype, "weights") or form(points, (count, d), dtype, "points")
    wrong = wrong or form(answer["slope"], (d,), np.dtype(np.float64), "slope")
    wrong = wrong or form(answer["shares"], (count,), np.dtype(np.float64), "shares")
    for field in NUMBERS:
        value = answer[field]
        if not isinstance(value, (int, float, np.number)) or isinstance(value, bool) or not np.isfinite(value):
            detail = f"{field} should be a finite number, got {described(value)}"
            wrong = wrong or Outcome("wrong type", detail, got=value)
    return wrong


def _optimal(case, answer, problem, outcome):
    """Checks that the primal is at most `tol` above the minimum, unless a warning is due."""
    minimum = outcome.expected.get("minimum")
    if minimum is None or case.warns == EARLY:
        return outcome
    if not problem.primal * (1 - case.arguments["tol"]) <= minimum * (1 + problem.rounding):
        detail = f"the primal of its weights is {problem.primal:.8g}, the minimum {minimum:.8g}"
        return outcome._replace(reason=DIFFERS, detail=detail)
    return outcome


def _bound(case, answer, problem, outcome):
    """Checks that the dual is below the minimum, and that its points and shares prove it."""
    minimum, dual = outcome.expected.get("minimum"), answer["dual"]
    if minimum is not None and not dual <= minimum * (1 + problem.rounding):
        detail = f"reports a lower bound of {dual:.8g}, and the minimum is {minimum:.8g}"
        return outcome._replace(reason="no lower bound", detail=detail)
    if not proofs.is_combination(answer["points"], answer["shares"]):
        detail = f"its shares should be >= 0 and sum to 1, and sum to {np.sum(answer['shares']):.8g}"
        return outcome._replace(reason="no lower bound", detail=detail)
    if not dual <= problem.bound + proofs.PROVED * problem.primal:
        detail = f"reports a lower bound of {dual:.8g}, and the planes at its points prove {problem.bound:.8g}"
        return outcome._replace(reason="no lower bound", detail=detail)
    return outcome


def _certified(case, answer, problem, outcome):
    """Checks that the suboptimality that the planes prove is at most `tol`, up to rounding, unless a warning is due."""
    rounding = tolerance(answer["weights"].dtype, len(case.arguments["X"])) * max(1.0, problem.size / problem.primal)
    if case.warns != EARLY and not problem.proved <= case.arguments["tol"] + rounding + proofs.PROVED:
        detail = f"its planes prove a suboptimality of {problem.proved:.1e}, and the dual it reports {problem.gap:.1e}"
        return outcome._replace(reason="certificate", detail=detail)
    return outcome


def _plane(case, answer, problem, outcome):
    """Checks that the minimum of the plane is the dual, and that its points and shares give its slope, up to ties."""
    slope, dtype = answer["slope"], answer["weights"].dtype
    lowest = float(answer["offset"]) - slope @ slope / (2 * problem.regularization)
    allowed = tolerance(dtype, len(case.arguments["X"]))
    if not abs(lowest - answer["dual"]) <= 4 * allowed * max(problem.size, abs(answer["offset"])):
        detail = f"the minimum of its plane with the penalty is {lowest:.8g}, its dual {answer['dual']:.8g}"
        return outcome._replace(reason="reports something else", detail=detail)
    parts = problem.hinge, answer["points"], answer["shares"]
    apart = np.abs(slope - proofs.combination(*parts)[1]) - 4 * allowed * problem.hinge.largest
    if (apart > 0).any() and (apart > proofs.doubt(*parts)).any():
        detail = f"its slope differs from that of the planes at its points by {apart.max():.1e}"
        return outcome._replace(reason="reports something else", detail=detail)
    return outcome


def _reported(case, answer, problem, outcome):
    """Checks that the reported primal and gap are those of the weights."""
    allowed = 4 * tolerance(answer["weights"].dtype, len(case.arguments["X"]))
    size = max(problem.primal, problem.size)
    for field, unit in (("primal", size), ("gap", size / problem.primal)):
        if not abs(float(answer[field]) - outcome.expected[field]) <= allowed * unit:
            detail = f"reports {field} {answer[field]:.6g}, its weights have {outcome.expected[field]:.6g}"
            return outcome._replace(reason="reports something else", detail=detail)
    if answer["gap"] < 0:
        return outcome._replace(reason="reports something else", detail="a negative gap")
    return outcome


def history_kept(case, answer, _, outcome):
    """Checks that the history has one record an iteration, ends with the answer, and that bounds never get worse."""
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
