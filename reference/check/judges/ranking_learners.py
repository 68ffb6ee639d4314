"""Judges direct loss minimisation and latent ranking SVMs by replays and certificates.

Neither problem is convex, so there is no certificate of the whole. The steps of direct loss minimisation are replayed
with the inference of `ranking_svm.bounds`, until two rankings tie up to rounding: after that, several paths are
right. A latent ranking SVM ends with a convex problem, whose fit has a certificate. If there are few windows, CVXPY
replays the earlier rounds, too, as long as no two windows of a bag have nearly the same score.
"""

import numpy as np

from ...ground_truth import ranking_svm as programmes
from ...problems import checks
from ..judging.outcome import DIFFERS, Outcome, answer_dtype, described, form, tolerance
from ..replays import direct_loss, latent
from .ranking_svm import EARLY, form_of_fit, judged_fit, optimum

SETTLED = 3.0  # if a decrease is within this factor of the tolerance, it may or may not end the rounds


# --- direct loss minimisation --------------------------------------------------------------------------------------


def fit_direct_loss(case, reply):
    """Judge of fit_direct_loss."""
    arguments, answer = case.arguments, reply.answer
    if not isinstance(answer, dict) or not {"weights", "losses"} <= set(answer):
        return Outcome("wrong type", f"it should be a DirectLossFit, got {described(answer)}", got=answer)
    X, got = arguments["X"], {name: answer[name] for name in ("weights", "losses")}
    wrong = form(got["weights"], (X.shape[1],), answer_dtype(X), "weights")
    wrong = wrong or form(got["losses"], (arguments["max_iterations"] + 1,), np.dtype(np.float64), "losses")
    trail = direct_loss.trail(arguments)
    best = int(trail.losses.argmin())
    expected = {"weights": trail.weights[best].astype(answer_dtype(X)), "losses": trail.losses}
    if wrong:
        return wrong._replace(expected=expected)
    allowed = 100 * tolerance(answer_dtype(X), len(X))
    error = float(np.abs(got["losses"] - trail.losses)[: trail.known_losses].max(initial=0.0))
    outcome = Outcome("", "", error, None, expected, got)
    if not error <= allowed:
        step = int((np.abs(got["losses"] - trail.losses)[: trail.known_losses] > allowed).argmax())
        return outcome._replace(reason=DIFFERS, detail=f"losses by {error:.1e}, first after {step} steps")
    return _best_on_the_way(outcome, trail, allowed)


def _best_on_the_way(outcome, trail, allowed):
    """Checks that the weights are those of the smallest loss, or of a loss that ties with it up to rounding."""
    weights, losses = outcome.got["weights"], outcome.got["losses"]
    apart = direct_loss.from_the_best(trail, weights, losses, allowed)
    if apart is None:
        return outcome
    outcome = outcome._replace(error=max(outcome.error, apart))
    if not apart <= allowed:
        detail = f"weights by {apart:.1e} from those of the smallest loss, before step {int(losses.argmin()) + 1}"
        return outcome._replace(reason=DIFFERS, detail=detail)
    return outcome


# --- latent windows ------------------------------------------------------------------------------------------------


def fit_latent_ranking_svm(case, reply):
    """Judge of fit_latent_ranking_svm."""
    arguments, answer = case.arguments, reply.answer
    if wrong := _form(arguments, answer):
        return wrong
    bags, chosen = latent.bags_of(arguments), answer["chosen"]
    for rows, row in zip(bags.positive, chosen, strict=True):
        if row not in rows:
            detail = f"row {row} is none of the windows {rows.tolist()} of its bag"
            return Outcome("out of range", detail, got={"chosen": chosen})
    last = case._replace(arguments=latent.convex_problem(arguments, bags, chosen))
    outcome = judged_fit(last, answer["last_fit"], optimum(last.arguments))
    shown = {name: answer[name] for name in ("weights", "chosen", "objectives", "gap")}
    if outcome.reason:
        return outcome._replace(detail=f"in the last round, {outcome.detail}", got=shown)
    outcome = outcome._replace(got=shown)
    for check in (_reported, _goes_down, _stops, _follows_the_rounds):
        outcome = check(case, answer, bags, outcome)
        if outcome.reason:
            return outcome
    return outcome


def true_rounds(arguments):
    """Returns ([(chosen windows, minimum), ...] for each round by CVXPY, True if these are certainly all rounds).

    Returns None if there are too many samples. Weights with a gap of `tol` are near the best ones. If two windows of a
    bag may change order within this distance, the next round is not determined, and the list ends.
    """
    bags, X = latent.bags_of(arguments), arguments["X"].astype(np.float64)
    checks.ranking_options(*(arguments[name] for name in ("regularization", "tol", "max_iterations")))
    chosen, rounds = latent.first_choice(X, bags, arguments.get("weights")), []
    while chosen is not None and len(rounds) < arguments["max_rounds"]:
        problem = latent.convex_problem(arguments, bags, chosen)
        minimum = optimum(problem)
        if minimum is None:
            return None
        rounds.append((chosen, minimum))
        if len(rounds) > 1 and _about(rounds[-2][1] - minimum, arguments["tol"] * minimum):
            return rounds, False
        if len(rounds) > 1 and rounds[-2][1] - minimum < arguments["tol"] * minimum:
            return rounds, True
        last, chosen = chosen, _next_choice(X, bags, problem, minimum)
        if chosen is not None and (chosen == last).all():
            return rounds, True
    return rounds, chosen is not None


def _about(decrease, tol):
    """True if a decrease is so near the tolerance that either decision is right. A decrease of 0 is not."""
    return tol / SETTLED < decrease < SETTLED * tol


def _next_choice(X, bags, problem, minimum):
    weights = _minimiser(problem)
    apart = np.sqrt(2 * minimum * (2 * problem["tol"] + 1e-6) / problem["regularization"])
    reach = max(np.linalg.norm(X[rows] - X[rows[0]], axis=1).max() for rows in bags.positive)
    return latent.highest([X[rows] @ weights for rows in bags.positive], bags, 2 * apart * reach, X)


def _minimiser(problem):
    options = {name: problem[name] for name in ("loss", "regularization")}
    return programmes.fit_ranking_svm(problem["X"].astype(np.float64), problem["relevant"], **options)[0]


def _form(arguments, answer):
    """Returns the Outcome of an answer that is not a LatentRankingFit of the right shapes, or None."""
    fields = ("weights", "chosen", "objectives", "gap", "last_fit")
    if not isinstance(answer, dict) or not set(fields) <= set(answer):
        return Outcome("wrong type", f"it should be a LatentRankingFit, got {described(answer)}", got=answer)
    X, chosen, objectives = arguments["X"], answer["chosen"], answer["objectives"]
    wrong = form(answer["weights"], (X.shape[1],), answer_dtype(X), "weights")
    wrong = wrong or form(chosen, (len(latent.bags_of(arguments).positive),), np.dtype(np.int64), "chosen")
    rounds = len(objectives) if np.ndim(objectives) == 1 else 0
    wrong = wrong or form(objectives, (rounds,), np.dtype(np.float64), "objectives")
    if not wrong and not 1 <= rounds <= arguments["max_rounds"]:
        detail = f"objectives should be one number a round, of 1..{arguments['max_rounds']} rounds, got {rounds}"
        return Outcome("wrong shape", detail, got=objectives)
    return wrong or form_of_fit(X, answer["last_fit"], "last_fit")


def _reported(case, answer, bags, outcome):
    """Checks that weights, objective and gap are those of the fit of the last round."""
    fit = answer["last_fit"]
    pairs = ("weights", answer["weights"], fit["weights"]), ("gap", answer["gap"], fit["gap"])
    for name, got, expected in (*pairs, ("the last objective", answer["objectives"][-1], fit["primal"])):
        if not np.array_equal(got, expected):
            detail = f"{name} is not that of the fit of the last round"
            return outcome._replace(reason="reports something else", detail=detail)
    return outcome


def _goes_down(case, answer, bags, outcome):
    """Checks that no round ends above the one before by more than both gaps."""
    most = latent.allowed_rise(case.arguments["tol"], answer["weights"].dtype, len(case.arguments["X"]))
    if case.warns != EARLY and latent.rise(answer["objectives"]) > most:
        return outcome._replace(reason="certificate", detail="its objectives rise")
    return outcome


def _stops(case, answer, bags, outcome):
    """Checks that the rounds end only if the windows stay, the objective settles, or no round is left."""
    X, objectives = case.arguments["X"], answer["objectives"]
    if len(objectives) == case.arguments["max_rounds"] or latent.is_settled(objectives, case.arguments["tol"]):
        return outcome
    if not latent.shortfall(X, answer["weights"], answer["chosen"], bags) <= tolerance(answer["weights"].dtype, X.size):
        detail = "it stops although other windows score higher, and the objective fell by more than tol"
        return outcome._replace(reason="stopped early", detail=detail)
    return outcome


def _follows_the_rounds(case, answer, bags, outcome):
    """Compares the rounds with those of CVXPY, their minima and windows, as far as these are certain."""
    if case.warns == EARLY or (truth := true_rounds(case.arguments)) is None:
        return outcome
    rounds, complete = truth
    minima, tol = np.array([minimum for _, minimum in rounds]), case.arguments["tol"]
    got = answer["objectives"][: len(minima)]
    expected = {"objectives": minima, **({"chosen": rounds[-1][0]} if complete and rounds else {})}
    outcome = outcome._replace(expected=outcome.expected | expected)
    allowed = max(tolerance(answer["weights"].dtype, len(case.arguments["X"])), 1e-6)
    short = len(got) < len(minima) or (complete and len(answer["objectives"]) > len(minima))
    if short or (np.abs(got - minima) > (tol / (1 - tol) + allowed) * minima).any():
        return outcome._replace(reason=DIFFERS, detail="the objectives of the rounds are different")
    if complete and (answer["chosen"] != rounds[-1][0]).any():
        return outcome._replace(reason=DIFFERS, detail="the chosen windows are different")
    return outcome
