"""Conditions of TopPush and SVMperf: bounds of the suboptimality, and what a fit claims.

The weights bound the minimum from above and the duals bound it from below. All other numbers are recomputed from them.
"""

import numpy as np

from ..judging.condition import Condition, suboptimality
from ..proofs.rounding import tolerance
from ..ranking_svm.conditions import wrong_history
from . import bounds

REPORTED = "largest difference of what it reports from what its weights and duals have"


def fit_top_push(problem, weights, duals, **claims):
    """The duals prove that the weights are nearly optimal, and what is reported is so."""
    options = problem.only("regularization", "sample_weight")
    found = bounds.top_push_bounds(weights, duals, problem.X, problem.relevant, **options)
    return _proved_and_claimed(problem, found, weights, **claims)


def fit_svm_perf(problem, weights, duals, **claims):
    """The duals prove that the weights are nearly optimal, and what is reported is so."""
    options = problem.only("k", "loss", "regularization", "sample_weight")
    found = bounds.svm_perf_bounds(weights, duals, problem.X, problem.relevant, **options)
    return _proved_and_claimed(problem, found, weights, **claims)


def _proved_and_claimed(problem, found, weights, **claims):
    """Yields the condition of what is proved, and those of what a fit claims: `certify` does not ask for claims."""
    gap = max(0.0, 1 - found.given / found.objective) if found.objective > 0 else 0.0
    truth = {"primal": found.objective, "dual": found.given, "gap": gap}
    allowed = tolerance(weights.dtype, problem.relevant.size)  # of an objective, relative to its value at 0, about 1
    unit = max(1.0, 1 / found.primal) if found.primal > 0 else 1.0  # the gap is relative to the primal
    detail = f"its duals prove a suboptimality of {found.value:.1e}"
    detail += f"; it reports a gap of {claims['gap']:.1e}" if claims else ""
    yield suboptimality(found, problem.tol, detail=detail, expected=truth, rounding=allowed * unit)
    if claims:
        size = max(1.0, found.primal)
        scales = {"primal": size, "dual": max(size, abs(found.given)), "gap": max(unit, gap)}
        yield from _reported(truth, scales, 4 * allowed, **claims)


def _reported(truth, scales, allowed, primal, dual, gap, iterations, history):
    """The objectives and the gap are those of the weights and the duals, and the history ends with them."""
    reported = {"primal": primal, "dual": dual, "gap": gap}
    apart = {name: abs(float(reported[name]) - truth[name]) / scales[name] for name in reported}
    worst = max(apart, key=apart.get)
    detail = f"reports {worst} {reported[worst]:.6g}, its weights and duals have {truth[worst]:.6g}"
    value, detail = (np.inf, "a negative gap") if gap < 0 else (apart[worst], detail)
    yield Condition(value, allowed, REPORTED, reason="reports something else", detail=detail)
    wrong = wrong_history(history, iterations, **reported)
    yield Condition(float(bool(wrong)), 0.0, "history", reason="history", detail=wrong)
