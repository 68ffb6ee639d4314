"""Ranking SVMs, direct loss minimisation and latent ranking: planes below the objective, and replays."""

import numpy as np

from ..judging.rounding import tolerance
from ..ranking_svm import bounds as proofs
from ..replays import direct_loss, latent
from ._base import Condition, Malformed, entries, integers, needed, numbers, parts_of, suboptimality

LOSSES = "largest difference of the losses on the way from a replay of the steps"
LATENT = (
    "The problem is not convex: this proves the optimum for the windows that were chosen last, and not that these "
    "windows are the best ones."
)


def _convex(parts, objective, tol, note=""):
    needed(parts, "weights", "points", "shares")
    weights = numbers(parts["weights"], (objective.d,), "weights")
    points, shares = parts["points"], parts["shares"]
    n = entries(points)
    points, shares = numbers(points, (n, objective.d), "points"), numbers(shares, (n,), "shares")
    if not (objective.is_in_range(weights) and objective.is_in_range(points)):
        raise Malformed("the scores of its weights or points are out of the range of float64")
    claimed = objective.primal(weights.astype(np.float64))[0] * (1 - min(tol, 1.0))
    return suboptimality(objective.proof(weights, points, shares.astype(np.float64), claimed), tol, note)


def fit_direct_loss(answer, X, **given):
    """`answer` is a fit, a dict, or a pair (weights, losses)."""
    parts = parts_of(answer, "weights", "losses")
    needed(parts, "weights", "losses")
    weights = numbers(parts["weights"], (X.shape[1],), "weights")
    losses = numbers(parts["losses"], (given["max_iterations"] + 1,), "losses")
    trail, allowed = direct_loss.trail({"X": X, **given}), 100 * tolerance(weights.dtype, X.shape[0])
    steps, note = given["max_iterations"], "The problem is not convex: this proves equality with the algorithm only."
    if trail.known_losses <= steps:
        note += f" From step {trail.known_losses} on rankings tie up to rounding, and nothing is compared."
    apart = float(np.abs(losses - trail.losses)[: trail.known_losses].max(initial=0.0))
    conditions = [Condition(apart, allowed, LOSSES, note)]
    apart = direct_loss.from_the_best(trail, weights, losses, allowed)
    if apart is not None:
        what = "distance of the weights from those of the smallest loss, relative to the largest on the way"
        conditions.append(Condition(apart, allowed, what))
    return conditions


def fit_latent_ranking_svm(answer, X, bags, relevant, **given):
    """`answer` is a fit, or a dict with `chosen` and `last_fit`; it may also have `weights` and `objectives`."""
    if not (hasattr(answer, "_asdict") or isinstance(answer, dict)):
        raise Malformed("it should be a LatentRankingFit, or a dict with chosen and last_fit")
    parts = parts_of(answer, "chosen")
    needed(parts, "chosen", "last_fit")
    arguments = {"X": X, "bags": bags, "relevant": relevant, **given}
    sets, last = latent.bags_of(arguments), parts_of(parts["last_fit"], "weights", "points", "shares")
    chosen = integers(parts["chosen"], (len(sets.positive),), "chosen", 0, X.shape[0] - 1)
    problem = latent.convex_problem(arguments, sets, chosen)
    hinge = proofs.MeanHinge(problem["X"], problem["relevant"], None, given["loss"])
    conditions = [_convex(last, proofs.RankingObjective(hinge, given["regularization"]), given["tol"], LATENT)]
    strangers = sum(row not in rows for rows, row in zip(sets.positive, chosen, strict=True))
    conditions.append(Condition(float(strangers), 0.0, "windows that are none of their bag"))
    weights = numbers(last["weights"], (X.shape[1],), "weights")
    if "weights" in parts:
        apart = np.abs(numbers(parts["weights"], weights.shape, "weights") - weights).max()
        conditions.append(Condition(float(apart), 0.0, "distance of the weights from those of the last fit"))
    if "objectives" in parts:
        conditions += _rounds(parts["objectives"], X, weights, chosen, sets, hinge, given)
    return conditions


def _rounds(objectives, X, weights, chosen, sets, hinge, given):
    """Returns the conditions on the objectives of the rounds: the last one, no rise, and a reason to end."""
    rounds, primal = entries(objectives), hinge.objective(weights, given["regularization"])
    if not 1 <= rounds <= given["max_rounds"]:
        raise Malformed(f"objectives should be of 1..{given['max_rounds']} rounds, got {rounds}")
    objectives, size = numbers(objectives, (rounds,), "objectives"), hinge.objective(np.zeros(hinge.d), 1.0)
    apart = abs(objectives[-1] - primal) / max(primal, size)
    what = "distance of the last objective from the primal of the weights, relative"
    conditions = [Condition(float(apart), 4 * tolerance(weights.dtype, X.shape[0]), what)]
    most = latent.allowed_rise(given["tol"], weights.dtype, X.shape[0])
    conditions.append(Condition(latent.rise(objectives), most, "rise of the objective from round to round, relative"))
    first = latent.first_choice(X, sets, given["weights"]) if rounds == 1 else None
    if first is not None:  # after more rounds, the windows depend on fits that are not known
        what = "windows that are not the first choice, although there is one round"
        conditions.append(Condition(float(np.count_nonzero(first != chosen)), 0.0, what))
    if rounds < given["max_rounds"] and not latent.is_settled(objectives, given["tol"]):
        missed, most = latent.shortfall(X, weights, chosen, sets), tolerance(weights.dtype, X.shape[0] * X.shape[1])
        conditions.append(Condition(missed, most, "score by which another window of a bag is better, relative"))
    return conditions
