"""The conditions of a fit of a ranking SVM to the windows that were chosen last.

The convex problem of a round is `fit_ranking_svm` on the chosen windows and all negatives, in one group.
"""

import numpy as np

from ..certificates.ranking_svm import (
    PROVED,
    MeanHinge,
    RankingObjective,
    combination,
    doubt,
    is_combination,
    lower_bound,
)
from ..judging.answers import Malformed
from ..judging.condition import Condition, suboptimality
from ..judging.rounding import relative, tolerance
from ..judging.spec import Spec

NUMBERS = dict.fromkeys(("primal", "dual", "gap", "iterations", "offset"), "number")
FIT = {"weights": "d", "slope": "d float64", "points": "c d", "shares": "c float64"} | NUMBERS | {"history": "any"}
SPEC = Spec("fit_ranking_svm", "", {"X": "n d"}, FIT, "", needs=("weights", "points", "shares"))
RECORDED = ("primal", "dual", "gap", "seconds")


def of_fit(problem, weights, points, shares, claims, note=""):
    """Yields the condition of what the planes at the points prove, and those of what the fit claims, if it does."""
    hinge = MeanHinge(problem.X, problem.relevant, problem.groups, problem.loss, problem.group_weight)
    objective = RankingObjective(hinge, problem.regularization)
    if not (objective.is_in_range(weights) and objective.is_in_range(points)):
        raise Malformed("the scores of its weights or points are out of the range of float64")
    enough = objective.primal(weights.astype(np.float64))[0] * (1 - min(problem.tol, 1.0))
    found = objective.proof(weights, points, shares.astype(np.float64), enough)
    primal, size = (hinge.objective(point, problem.regularization) for point in (weights, np.zeros(hinge.d)))
    rounding = tolerance(weights.dtype, problem.X.shape[0])
    detail = f"its planes prove a suboptimality of {found.value:.1e}"
    expected = {"primal": primal, "proved gap": found.value}
    off = rounding * max(1.0, relative(size, primal)) + PROVED
    if claims:
        yield from _lower_bound(problem, hinge, primal, points, shares, claims["dual"])
    yield suboptimality(found, problem.tol, note, detail=detail, expected=expected, rounding=off)
    if claims:
        yield from _plane(problem, hinge, 4 * rounding, size, points, shares, claims)
        yield from _reported(primal, max(primal, size), 4 * rounding, claims)
        wrong = wrong_history(**{name: claims[name] for name in ("history", "iterations", "primal", "dual", "gap")})
        yield Condition(float(bool(wrong)), 0.0, "history", reason="history", detail=wrong)


def _lower_bound(problem, hinge, primal, points, shares, dual):
    """Yields that the planes at the points prove the dual."""
    detail = f"its shares should be >= 0 and sum to 1, and sum to {np.sum(shares):.8g}"
    wrong = float(not is_combination(points, shares))
    yield Condition(wrong, 0.0, "shares of no combination", reason="no lower bound", detail=detail)
    bound = lower_bound(hinge, points, shares, problem.regularization, float(dual))
    detail = f"reports a lower bound of {dual:.8g}, and the planes at its points prove {bound:.8g}"
    what = "excess of the reported dual over what the planes prove"
    yield Condition(dual - bound, PROVED * primal, what, reason="no lower bound", detail=detail)


def _plane(problem, hinge, allowed, size, points, shares, claims):
    """Yields that the minimum of the reported plane is the dual, and its slope that of the points and shares."""
    slope, offset, dual = claims["slope"], float(claims["offset"]), float(claims["dual"])
    lowest = offset - slope @ slope / (2 * problem.regularization)
    detail = f"the minimum of its plane with the penalty is {lowest:.8g}, its dual {dual:.8g}"
    off = abs(lowest - dual) / max(size, abs(offset))
    yield Condition(off, allowed, "the minimum of the plane", reason="reports something else", detail=detail)
    apart = np.abs(slope - combination(hinge, points, shares)[1]) - allowed * hinge.largest
    tied = not (apart > 0).any() or not (apart > doubt(hinge, points, shares)).any()
    detail = f"its slope differs from that of the planes at its points by {apart.max():.1e}"
    yield Condition(float(not tied), 0.0, "the slope of the plane", reason="reports something else", detail=detail)


def _reported(primal, size, allowed, claims):
    """Yields that the reported primal and gap are those of the weights."""
    gap = max(0.0, relative(primal - float(claims["dual"]), primal))
    for name, right, unit in (("primal", primal, size), ("gap", gap, relative(size, primal))):
        got = float(claims[name])
        value = np.inf if name == "gap" and got < 0 else abs(got - right) / unit
        detail = f"reports {name} {got:.6g}, its weights have {right:.6g}"
        yield Condition(value, allowed, f"the {name}", reason="reports something else", detail=detail)


def wrong_history(history, iterations, primal, dual, gap):
    """Returns what is wrong with a history, if anything: records, the last one, and bounds that get no worse."""
    records = [history.get(name) for name in RECORDED] if isinstance(history, dict) else []
    complete = records and all(isinstance(one, np.ndarray) and one.shape == (iterations,) for one in records)
    if not complete or iterations < 1:
        return "one record (primal, dual, gap, seconds) an iteration is missing"
    if any(history[name][-1] != last for name, last in (("primal", primal), ("dual", dual), ("gap", gap))):
        return "its last record is not that of the answer"
    if (np.diff(history["primal"]) > 0).any() or (np.diff(history["dual"]) < 0).any():
        return "the best primal rises or the best dual falls"
    return ""
