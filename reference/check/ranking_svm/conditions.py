"""Conditions of grouped inference, group by group, and of the ranking SVM: its planes are below the objective."""

import numpy as np

from ..judging.answers import Malformed
from ..judging.condition import DIFFERS, Condition, suboptimality
from ..proofs.rounding import tolerance
from ..ranking.conditions import of_ranks
from . import bounds

RECORDED = ("primal", "dual", "gap", "seconds")


# --- inference, group by group -------------------------------------------------------------------------------------


def grouped_inference(problem, interleaving, **reported):
    """The ranks of each group are the best ones. The worst group is shown."""
    samples, scores, worst, objectives = bounds.members(problem.relevant, problem.groups), problem.scores, {}, []
    strangers = np.delete(interleaving, np.concatenate([n for _, n in samples]))
    if strangers.any():
        what = "ranks other than 0 of positives, or of samples in groups without both classes"
        detail = "positives, and samples in groups left out, have rank 0"
        yield Condition(float(np.count_nonzero(strangers)), 0.0, what, reason=DIFFERS, detail=detail)
    for g, (p, n) in enumerate(samples):
        of_group, where = {name: array[g] for name, array in reported.items()}, f" in group {g}"
        for one in of_ranks(interleaving[n], scores[p], scores[n], problem.loss, of_group, where):
            if one.reason == "out of range":
                yield one
                return
            kind = one.what.removesuffix(where)
            worst[kind] = max(worst.get(kind, one), one, key=_excess)
            objectives += [one.expected["objective"]] if one.reason == "certificate" and one.expected else []
    yield from _in_order(worst.values(), {"objective": np.array(objectives)})


def _excess(condition):
    return condition.value / (condition.bound or 1.0)


def _in_order(conditions, expected):
    """Yields the conditions as those of one ranking come: what is proved, the conventions, and what is reported."""
    order = ["certificate", DIFFERS, "reports something else"]
    for one in sorted(conditions, key=lambda one: order.index(one.reason)):
        yield one._replace(expected=expected) if one.reason == "certificate" else one


# --- fits ----------------------------------------------------------------------------------------------------------


def fit_ranking_svm(problem, weights, points, shares, **claims):
    """The planes at the points prove that the weights are nearly optimal, and what is reported is so."""
    return of_fit(problem, weights, points, shares, claims)


def of_fit(problem, weights, points, shares, claims, note=""):
    """Yields the condition of what is proved, and those of what a fit claims: `certify` does not ask for claims."""
    hinge = bounds.MeanHinge(*(getattr(problem, name) for name in ("X", "relevant", "groups", "loss", "group_weight")))
    objective = bounds.RankingObjective(hinge, problem.regularization)
    if not (objective.is_in_range(weights) and objective.is_in_range(points)):
        raise Malformed("the scores of its weights or points are out of the range of float64")
    primal, shares = hinge.objective(weights, problem.regularization), shares.astype(np.float64)
    claimed = float(claims.get("dual", objective.primal(weights.astype(np.float64))[0] * (1 - min(problem.tol, 1.0))))
    gap = max(0.0, (primal - claimed) / primal)
    found = objective.proof(weights, points, shares, claimed)
    # The size of the losses that are added up. The primal itself may be small.
    size = hinge.objective(np.zeros(hinge.d), problem.regularization)
    allowed = tolerance(weights.dtype, hinge.X.shape[0])
    detail = f"its planes prove a suboptimality of {found.value:.1e}, and the dual it reports {gap:.1e}"
    truth = {"primal": primal, "gap": gap, "proved gap": found.value}
    rounding = allowed * max(1.0, size / primal) + bounds.PROVED
    yield suboptimality(found, problem.tol, note, detail=detail, expected=truth, rounding=rounding)
    if "dual" in claims:
        bound = bounds.lower_bound(hinge, points, shares, problem.regularization, claimed)
        yield from _no_lower_bound(points, shares, claimed, bound, primal)
        yield from _plane(problem, hinge, points, shares, allowed, size, claims)
        yield from _reported(truth, allowed, max(primal, size), claims)


def _no_lower_bound(points, shares, dual, bound, primal):
    """The shares are those of a mean, and the planes at the points prove the dual."""
    others = {"reason": "no lower bound", "expected": {"dual": bound}}
    is_mean = bounds.is_combination(points, shares)
    detail = f"its shares should be >= 0 and sum to 1, and sum to {np.sum(shares):.8g}"
    yield Condition(float(not is_mean), 0.0, "shares that are not those of a mean", detail=detail, **others)
    detail = f"reports a lower bound of {dual:.8g}, and the planes at its points prove {bound:.8g}"
    yield Condition(dual - bound, bounds.PROVED * primal, "dual above the planes", detail=detail, **others)


def _plane(problem, hinge, points, shares, allowed, size, claims):
    """The minimum of the plane is the dual, and the points and shares give its slope, up to ties."""
    slope, offset, dual = claims["slope"], float(claims["offset"]), float(claims["dual"])
    lowest = offset - slope @ slope / (2 * problem.regularization)
    detail = f"the minimum of its plane with the penalty is {lowest:.8g}, its dual {dual:.8g}"
    apart, most = abs(lowest - dual), 4 * allowed * max(size, abs(offset))
    yield Condition(apart, most, "minimum of the plane", reason="reports something else", detail=detail)
    apart = np.abs(slope - bounds.combination(hinge, points, shares)[1]) - 4 * allowed * hinge.largest
    beyond = (apart - bounds.doubt(hinge, points, shares)).max() if (apart > 0).any() else 0.0
    detail = f"its slope differs from that of the planes at its points by {apart.max():.1e}"
    yield Condition(max(beyond, 0.0), 0.0, "slope of the plane", reason="reports something else", detail=detail)


def _reported(truth, allowed, size, claims):
    """The reported primal and gap are those of the weights, and the history is one of an improving fit."""
    primal, gap = float(claims["primal"]), float(claims["gap"])
    for name, got, unit in (("primal", primal, size), ("gap", gap, size / truth["primal"])):
        detail = f"reports {name} {got:.6g}, its weights have {truth[name]:.6g}"
        apart = np.inf if name == "gap" and gap < 0 else abs(got - truth[name])
        yield Condition(apart, 4 * allowed * unit, name, reason="reports something else", detail=detail)
    wrong = wrong_history(**{name: claims[name] for name in ("history", "iterations", "primal", "dual", "gap")})
    yield Condition(float(bool(wrong)), 0.0, "history", reason="history", detail=wrong)


def wrong_history(history, iterations, **last):
    """Returns what is wrong, or nothing: there is one record an iteration, the last is the answer's, and none worse."""
    records = [history.get(field) for field in RECORDED] if isinstance(history, dict) else []
    complete = records and all(isinstance(one, np.ndarray) and one.shape == (iterations,) for one in records)
    if not complete or iterations < 1:
        return "one record (primal, dual, gap, seconds) an iteration is missing"
    if any(history[field][-1] != value for field, value in last.items()):
        return "its last record is not that of the answer"
    if (np.diff(history["primal"]) > 0).any() or (np.diff(history["dual"]) < 0).any():
        return "the best primal rises or the best dual falls"
    return ""
