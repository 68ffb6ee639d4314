r"""Classification with many classes by sampled pairs of classes: AUC, WARP, Wsabie and Wsabie++.

Class g has a prototype :math:`b_g`. Its score for an example x is :math:`f_g = \langle b_g, z \rangle` or
:math:`f_g = -\|b_g - z\|^2`, where z = W x with an embedding W, and z = x without. Class g violates the margin for a
label p of x if margin :math:`- f_p + f_g > 0`. One step in English:

1. Draw an example, and one of its labels: the positive class p.
2. Follow the chain "last violator of p, last violator of that class, ...". If one of its classes violates the margin
   now, skip the example: these classes are hard to tell apart, and the step ends here.
3. Draw classes that are no labels of the example until one violates the margin. It becomes the last violator of p.
4. Estimate the rank of p by the number of classes drawn (few of them: a bad rank), and weight the step by the rank.
5. Move the two prototypes and W against the gradient of the hinge of this pair.

The options of `fit_wsabie` are the differences between the methods of the paper: its Table 6 is a loop over them.

Source: Paper 003 (Gupta, Bengio, Weston: Training Highly Multiclass Classifiers, 2014).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ._wsabie.gradients import cut, descended, gradients
from .problems import checks
from .problems import wsabie as problems
from .problems.checks import AUC, NONE, WARP, WSABIE, WSABIE_PP, WsabieFit
from .problems.checks.types import Array, Floats, Matrix
from .wsabie_baselines import fit_nearest_means, fit_one_vs_all

__all__ = [
    "fit_wsabie", "prototype_scores", "concatenate_fits", "fit_nearest_means", "fit_one_vs_all",
    "AUC", "WARP", "WSABIE", "WSABIE_PP",
]  # fmt: skip


@checks.documented_by(problems.fit_wsabie)
def fit_wsabie(
    X: Matrix, Y: Matrix, *, embedding_dim: int | None = None, discriminant: str = "euclidean", sampling: str = "warp",
    weighting: str = "uniform", step: str = "adagrad", last_violators: int = 8, margin: float = 1.0,
    step_size: float = 0.1, n_updates: int, seed: int | np.random.Generator = 0, max_norm: float | None = None,
    n_classes: int | None = None, draws: Array | None = None, start: WsabieFit | None = None,
    callback: Callable[[WsabieFit], float | None] | None = None, every: int | None = None, patience: int | None = None,
    progress: bool = False,
) -> WsabieFit:  # fmt: skip
    r"""Train prototypes of classes, and an embedding, by stochastic gradient steps on sampled pairs of classes.

    .. math::

        \text{mean over examples, labels } p \text{ and violators } q \text{ of } \;
        w \, \max(0, \; \text{margin} - f_p + f_q)

    Here :math:`f_g` is the score of class g, w is the weight of the step, and a violator is a class q, not a label, for
    which the maximum is positive. A step draws an example, one of its labels (the positive class) and other classes,
    until one of these violates the margin. It moves the prototypes of both classes, and the embedding W. The problem is
    not convex in prototypes and W together: the result depends on the steps and need not be a minimum.

    Notes
    -----
    Three corrections of Table 3: the gradient in W is :math:`2 (b_q - b_p) x^\top` (printed: W x in place of x), mean
    squares are over the e coordinates of a prototype, and steps are divided by the root of the sum, as in equation
    (16). A zero gradient moves nothing. The cost is O(e d) a step, and O(e d) more for each drawn class, as the scores
    are written here; the twin takes O(e).

    Scores are compared, so two runs that round differently may part where two scores are equal but for rounding. All
    methods start as in Table 3. The paper starts AUC and Wsabie at random points of the ball, and saw no difference.
    """
    X, sets, rule, draws, fit, stages, curve, progress = problems.fit_wsabie(
        X, Y, embedding_dim=embedding_dim, discriminant=discriminant, sampling=sampling, weighting=weighting, step=step,
        last_violators=last_violators, margin=margin, step_size=step_size, n_updates=n_updates, seed=seed,
        max_norm=max_norm, n_classes=n_classes, draws=draws, start=start, callback=callback, every=every,
        patience=patience, progress=progress,
    )  # fmt: skip
    with np.errstate(over="ignore", invalid="ignore"):  # an overflow is refused later
        fit, example = cut(fit, rule.max_norm), checks.row_of(X)
    with checks.progress_bar(progress, len(stages), "updates") as report:
        for size in stages:
            for _ in range(size):
                t = draws.below(X.shape[0])
                with np.errstate(over="ignore", invalid="ignore"):  # an overflow is refused later
                    fit = _step(fit, example(t), sets.of(t), rule, draws)
            report(fit.updates)
            if curve.ends(checks.rounded(fit, X.dtype)):
                break
    checks.warn_if_frozen(fit, sets, rule.margin)
    return curve.result()


@checks.documented_by(problems.prototype_scores)
def prototype_scores(X: Matrix, fit: WsabieFit) -> Floats:
    r"""Returns the scores of all classes for each example.

    .. math::

        f_g(x) = \langle b_g, z \rangle \quad \text{or} \quad f_g(x) = -\|b_g - z\|^2

    Here :math:`b_g` is the prototype of class g, and z is W x, or x without an embedding.

    Notes
    -----
    The cost is O(n m e d), since each score computes z again; O(n m d) without an embedding.
    """
    X, fit = problems.prototype_scores(X, fit)
    example = checks.row_of(X)
    with np.errstate(over="ignore", invalid="ignore"):  # an overflow is refused later
        scores = [[_score(fit, example(i), g) for g in range(len(fit.prototypes))] for i in range(X.shape[0])]
    return checks.in_range(np.array(scores), X.dtype, "scores")


@checks.documented_by(problems.concatenate_fits)
def concatenate_fits(fits: Sequence[WsabieFit]) -> WsabieFit:
    """Returns one fit whose scores are the sums of those of the given fits: prototypes and embeddings side by side.

    Notes
    -----
    These are the rows "Ensemble" of the paper's Table 8. The cost is O(m e + e d).
    """
    (fits,) = problems.concatenate_fits(fits)
    prototypes = np.concatenate([fit.prototypes for fit in fits], axis=1)
    return WsabieFit(prototypes, np.concatenate([fit.embedding for fit in fits]), fits[0].discriminant)


# --- Table 3 -------------------------------------------------------------------------------------------------------


def _step(fit, x, labels, rule, draws):
    """The fit after one pass of the loop of Table 3, from "Sample y+" on, for a drawn x and its labels."""
    fit, m = fit._replace(steps=fit.steps + 1), len(fit.prototypes)
    if not 0 < len(labels) < m:
        return fit
    positive = labels[draws.below(len(labels))]
    chain = _chain(fit.last_violators, positive, rule.last_violators)
    if any(_hinge(fit, x, positive, v, rule.margin) > 0 for v in chain if v not in labels):
        return _skipped(fit, positive)
    others = np.setdiff1d(np.arange(m), labels)
    for trial in range(1, 1 + (m if rule.sampling == "warp" else 1)):
        negative = others[draws.below(len(others))]
        if _hinge(fit, x, positive, negative, rule.margin) > 0:
            return _moved(_remembered(fit, positive, negative), x, positive, negative, _weight(m, trial, rule), rule)
    return _remembered(fit, positive, NONE)


def _score(fit, x, g):
    """f_g(x)."""
    z = x if fit.embedding is None else fit.embedding @ x
    if fit.discriminant == "linear":
        return fit.prototypes[g] @ z
    return -((fit.prototypes[g] - z) @ (fit.prototypes[g] - z))


def _hinge(fit, x, positive, negative, margin):
    """[margin - f_positive + f_negative]_+."""
    difference = margin - _score(fit, x, positive) + _score(fit, x, negative)
    return max(checks.finite_number(difference, "a difference of scores", checks.LARGEST_FLOAT), 0.0)


def _chain(last, positive, Q):
    """Yields the last violator of the positive class, the last violator of that class, ...: at most Q, none twice."""
    passed, v = [positive], last[positive]
    while v != NONE and v not in passed and len(passed) <= Q:
        yield v
        passed, v = [*passed, v], last[v]


def _skipped(fit, positive):
    skipped = fit.skipped.copy()
    skipped[positive] += 1
    return fit._replace(skipped=skipped)


def _remembered(fit, positive, violator):
    last, skipped = fit.last_violators.copy(), fit.skipped.copy()
    last[positive], skipped[positive] = violator, 0
    return fit._replace(last_violators=last, skipped=skipped)


def _weight(m, trials, rule):
    """w: the harmonic sum up to the rank that is estimated from the number of trials, eq. (13), or 1."""
    rank = max((m - 1) // trials, 1)
    return np.sum(1 / np.arange(1, rank + 1)) if rule.weighting == "harmonic" else 1.0


def _moved(fit, x, positive, negative, weight, rule):
    """The fit after a step against the gradients, all of them taken before the step."""
    in_prototypes, in_W = gradients(fit, x, positive, negative, weight)
    prototypes, sums = descended(fit.prototypes, fit.prototype_sums, in_prototypes, rule)
    fit = fit._replace(prototypes=prototypes, prototype_sums=sums, updates=fit.updates + 1)
    if fit.embedding is not None:
        W, sums = descended(fit.embedding, fit.embedding_sums, in_W, rule)
        fit = fit._replace(embedding=W, embedding_sums=sums)
    return cut(fit, rule.max_norm)
