"""Conditions of two learners without a certificate of the whole: a replay of steps, and the last of several rounds."""

from functools import partial

import numpy as np

from ..judging.answers import Malformed, leniently, strictly
from ..judging.condition import DIFFERS, Condition
from ..proofs.rounding import tolerance
from ..ranking_svm import SPECS
from ..ranking_svm.bounds import MeanHinge
from ..ranking_svm.conditions import of_fit
from . import rounds, steps

SPEC = next(spec for spec in SPECS if spec.name == "fit_ranking_svm")  # of the last fit

LOSSES = "largest difference of the losses on the way from a replay of the steps"
BEST = "distance of the weights from those of the smallest loss, relative to the largest on the way"
NOT_CONVEX = "The problem is not convex: this proves equality with the algorithm only."
LATENT = (
    "The problem is not convex: this proves the optimum for the windows that were chosen last, and not that these "
    "windows are the best ones."
)


def fit_direct_loss(problem, weights, losses):
    """The losses are those of a replay of the steps, and the weights those of the smallest loss.

    From the first tie of two rankings on, several paths are right, and nothing is compared.
    """
    trail, allowed = steps.trail(problem), 100 * tolerance(weights.dtype, problem.X.shape[0])
    best, note = int(trail.losses.argmin()), NOT_CONVEX
    if trail.known_losses <= problem.max_iterations:
        note += f" From step {trail.known_losses} on rankings tie up to rounding, and nothing is compared."
    differences = np.abs(losses - trail.losses)[: trail.known_losses]
    differs = partial(
        Condition, bound=allowed, reason=DIFFERS,
        expected={"weights": trail.weights[best].astype(weights.dtype), "losses": trail.losses},
    )  # fmt: skip
    apart = float(differences.max(initial=0.0))
    step = int(np.append(differences > allowed, True).argmax())
    yield differs(apart, what=LOSSES, note=note, detail=f"losses by {apart:.1e}, first after {step} steps")
    apart = steps.from_the_best(trail, weights, losses, allowed)
    if apart is not None:
        before = int(losses.argmin()) + 1
        detail = f"weights by {apart:.1e} from those of the smallest loss, before step {before}"
        yield differs(apart, what=BEST, detail=detail)


def fit_latent_ranking_svm(problem, chosen, last_fit, weights=None, objectives=None, gap=None):
    """The last fit is nearly optimal for the windows that were chosen, and the rest of the answer is that of this fit.

    No round ends above the one before by more than both gaps, and the rounds end for a reason.
    """
    bags = rounds.bags_of(problem)
    for rows, row in zip(bags.positive, chosen, strict=True):
        if row not in rows:
            raise Malformed(f"row {row} is none of the windows {rows.tolist()} of its bag", "out of range")
    last = rounds.convex_problem(problem, bags, chosen)
    fit = _parts(last, last_fit, with_claims=gap is not None)
    claims = {name: part for name, part in fit.items() if name not in SPEC.needs} if gap is not None else {}
    for one in of_fit(last, *(fit[name] for name in SPEC.needs), claims, LATENT):
        yield one._replace(detail=f"in the last round, {one.detail}")
    reported = partial(Condition, bound=0.0, reason="reports something else")
    if weights is not None:
        what, detail = "distance of the weights from those of the last fit", "weights is not that of the last fit"
        yield reported(float(np.abs(weights - fit["weights"]).max()), what=what, detail=detail)
    if gap is not None:
        for name, got, right in (("gap", gap, fit["gap"]), ("the last objective", objectives[-1:], fit["primal"])):
            detail = f"{name} is not that of the last fit"
            yield reported(float(not np.all(got == right)), what=name, detail=detail)
    if objectives is not None:
        yield from _rounds(problem, bags, last, chosen, fit["weights"], objectives)


def _parts(last, fit, with_claims):
    """Returns the parts of a fit of a round: all of them, of the right form, or those that prove something."""
    if not with_claims:
        return leniently(SPEC, vars(last), SPEC.answer, fit)
    parts, wrong = strictly(SPEC, vars(last), SPEC.answer, fit)
    if wrong:
        raise Malformed(f"in last_fit, {wrong.detail}", wrong.reason)
    return parts


def _rounds(problem, bags, last, chosen, weights, objectives):
    """Yields the conditions of the objectives of the rounds: the last one, no rise, and a reason to end."""
    count, (n, d) = len(objectives), problem.X.shape
    if not 1 <= count <= problem.max_rounds:
        text = f"objectives should be one number a round, of 1..{problem.max_rounds} rounds, got {count}"
        raise Malformed(text, "wrong shape")
    hinge = MeanHinge(last.X, last.relevant, None, last.loss)
    primal, size = hinge.objective(weights, last.regularization), hinge.objective(np.zeros(d), 1.0)
    apart, what = abs(objectives[-1] - primal) / max(primal, size), "distance of the last objective from the primal"
    bound = 4 * tolerance(weights.dtype, n)
    yield Condition(float(apart), bound, f"{what} of the weights, relative", reason="reports something else")
    most, what = rounds.allowed_rise(problem.tol, weights.dtype, n), "rise of the objective from round to round"
    yield Condition(rounds.rise(objectives), most, f"{what}, relative", detail="its objectives rise")
    missing, what = rounds.missing_decrease(objectives, problem.tol), "missing decrease in a round before the last"
    detail = "it goes on after a round that lowered the objective by less than tol"
    yield Condition(missing, bound, f"{what}, relative", reason="stopped late", detail=detail)
    first = rounds.first_choice(problem.X, bags, problem.weights) if count == 1 else None
    if first is not None:  # after more rounds, the windows depend on fits that are not known
        what = "windows that are not the first choice, although there is one round"
        yield Condition(float(np.count_nonzero(first != chosen)), 0.0, what, reason=DIFFERS)
    if count < problem.max_rounds and not rounds.is_settled(objectives, problem.tol):
        missed, most = rounds.shortfall(problem.X, weights, chosen, bags), tolerance(weights.dtype, n * d)
        what = "score by which another window of a bag is better, relative"
        detail = "it stops although other windows score higher, and the objective fell by more than tol"
        yield Condition(missed, most, what, reason="stopped early", detail=detail)
