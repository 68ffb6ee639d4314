"""The rounds of a latent ranking SVM by CVXPY, as long as no two windows of a bag have nearly the same score.

Direct loss minimisation has no right answer but that of its steps, which `conditions` replays.
"""

from functools import partial

import numpy as np

from ...ground_truth import ranking_svm as programmes
from ..judging.condition import DIFFERS, Condition
from ..proofs.rounding import tolerance
from ..ranking_svm.bounds import MeanHinge
from ..ranking_svm.truth import fit_ranking_svm
from . import rounds

SETTLED = 3.0  # if a decrease is within this factor of the tolerance, it may or may not end the rounds
CVXPY_ERROR = 1e-7  # of a minimum, relative
SURELY = 1e-6  # the relative distance of two minima that neither CVXPY nor a rounding explains


def fit_latent_ranking_svm(problem):
    """Returns a function that compares an answer with the rounds, or None if there are too many samples."""
    found = true_rounds(problem)
    return None if found is None else partial(_as_certain, problem, *found)


def true_rounds(problem):
    """Returns ([(chosen windows, minimum), ...] for each round by CVXPY, True if these are certainly all rounds).

    Returns None if there are too many samples. Weights with a gap of `tol` are near the best ones. If two windows of a
    bag may change order within this distance, the next round is not determined, and the list ends.
    """
    bags, X, tol = rounds.bags_of(problem), problem.X.astype(np.float64), problem.tol
    chosen, found = rounds.first_choice(X, bags, problem.weights), []
    while chosen is not None and len(found) < problem.max_rounds:
        convex = rounds.convex_problem(problem, bags, chosen)
        minimum = optimum(convex)
        if minimum is None:
            return None
        found.append((chosen, minimum))
        if len(found) > 1:
            decrease = found[-2][1] - minimum
            is_doubtful = tol * minimum / SETTLED < decrease < SETTLED * tol * minimum
            if is_doubtful or decrease < tol * minimum:
                return found, not is_doubtful
        last, chosen = chosen, _next_choice(X, bags, convex, minimum)
        if chosen is not None and (chosen == last).all():
            return found, True
    return found, chosen is not None


def optimum(convex):
    """Returns the minimum of the convex problem of a round, or None if there are too many samples."""
    found = fit_ranking_svm(convex)
    return None if found is None else found.value


def _next_choice(X, bags, convex, minimum):
    options = convex.only("loss", "regularization")
    weights = programmes.fit_ranking_svm(convex.X.astype(np.float64), convex.relevant, **options)[0]
    apart = np.sqrt(2 * minimum * (2 * convex.tol + SURELY) / convex.regularization)
    reach = max(np.linalg.norm(X[rows] - X[rows[0]], axis=1).max() for rows in bags.positive)
    return rounds.highest([X[rows] @ weights for rows in bags.positive], bags, 2 * apart * reach, X)


def _as_certain(problem, found, complete, chosen, last_fit, objectives=None, **_):
    """Yields that minima and windows are those of the rounds, and that the last fit is one to the minimum.

    If these are not all rounds, the minimum is that for the windows that were chosen last. An answer that contradicts
    its last fit is left to the conditions.
    """
    if objectives is not None:
        if last_fit.get("primal", objectives[-1]) != objectives[-1]:
            return
        yield _of_rounds(problem, found, complete, objectives, last_fit["weights"].dtype)
    if complete:
        others, what = np.count_nonzero(chosen != found[-1][0]), "windows that are not those of the last round"
        yield Condition(float(others), 0.0, what, reason=DIFFERS, detail="the chosen windows are different")
    last = rounds.convex_problem(problem, rounds.bags_of(problem), chosen)
    minimum = found[-1][1] if complete else optimum(last)
    if minimum is not None:
        yield from _to_minimum(last, minimum, last_fit["weights"], last_fit.get("dual"))


def _of_rounds(problem, found, complete, objectives, dtype):
    """Returns the Condition that the objectives of the rounds are their minima, up to `tol`."""
    minima, tol = np.array([minimum for _, minimum in found]), problem.tol
    slack = tol / (1 - tol) if tol < 1 else np.inf
    got, allowed = objectives[: len(minima)], max(tolerance(dtype, len(problem.X)), SURELY)
    short = len(got) < len(minima) or (complete and len(objectives) > len(minima))
    apart = np.inf if short else float((np.abs(got - minima) / minima).max(initial=0.0))
    what, detail = (
        "distance of the objectives of the rounds from their minima",
        "the objectives of the rounds are different",
    )
    expected = {"objectives": minima} | ({"chosen": found[-1][0]} if complete else {})
    return Condition(apart, slack + allowed, what, reason=DIFFERS, detail=detail, expected=expected)


def _to_minimum(last, minimum, weights, dual):
    """Yields that the primal is at most `tol` above the minimum, and the dual, if there is one, below it."""
    primal = MeanHinge(last.X, last.relevant, None, last.loss).objective(weights, last.regularization)
    detail = f"in the last round, the primal of its weights is {primal:.8g}, the minimum {minimum:.8g}"
    expected, above = {"minimum": minimum}, (primal - minimum) / minimum
    what = "distance of the primal from the minimum of the last round, relative"
    rounding = max(CVXPY_ERROR, tolerance(np.float64, len(last.X)))
    most = (1 + rounding) / (1 - last.tol) - 1 if last.tol < 1 else np.inf
    yield Condition(above, most, what, reason=DIFFERS, detail=detail, expected=expected)
    if dual is None:
        return
    detail = f"in the last round, it reports a lower bound of {dual:.8g}, and the minimum is {minimum:.8g}"
    what = "excess of the dual over the minimum"
    yield Condition((dual - minimum) / minimum, rounding, what, reason="no lower bound", detail=detail)
