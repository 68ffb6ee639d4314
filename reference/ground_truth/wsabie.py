"""The walk of `fit_wsabie`, naively: loops over classes, and gradients by finite differences of the sampled loss.

The loss is a polynomial of degree at most two in each entry of a prototype or of W. Its central differences are exact
for any length of the step. The step is as long as the numbers themselves, so that little is lost to rounding.

Source: Paper 003 (Gupta, Bengio, Weston: Training Highly Multiclass Classifiers, 2014), Table 3.
Slow and simple. Signatures and results are those of `reference.wsabie`, where the arguments are explained.
"""

from itertools import product
from math import sqrt
from typing import NamedTuple

import numpy as np

from ..problems import checks

SHORT_STEP = 2.0**-20  # of a difference that must not cross a kink of a hinge


class Turn(NamedTuple):
    """One step of the walk, and what it looked at."""

    before: checks.WsabieFit
    after: checks.WsabieFit
    example: int
    positive: int | None = None
    looked_at: tuple = ()  # the classes whose margins were computed, in this order
    violator: int | None = None  # None if nothing moved
    weight: float = 0.0
    used: int = 0  # the count of numbers drawn so far


def fit_wsabie(
    X, Y, *, embedding_dim=None, discriminant="euclidean", sampling="warp", weighting="uniform", step="adagrad",
    last_violators=8, margin=1.0, step_size=0.1, n_updates, seed=0, max_norm=None, n_classes=None, draws=None,
    start=None,
):  # fmt: skip
    """The result of the last turn of the walk."""
    X = checks.features(X)
    rule = checks.wsabie_rule(discriminant, sampling, weighting, step, last_violators, margin, step_size, max_norm)
    turns = walk(X, Y, rule, n_updates, embedding_dim, n_classes, checks.Draws(draws, seed), start)
    for turn in turns:
        last = turn.after
    return checks.rounded(last, X.dtype)


def prototype_scores(X, fit):
    """The score of each class for each example, from the definition."""
    X, fit = checks.features_and_fit(X, fit)
    rows = (X.toarray() if hasattr(X, "toarray") else X).astype(np.float64)
    with np.errstate(over="ignore", invalid="ignore"):  # an overflow is refused later
        scores = [[_score(b, _embedded(fit.embedding, x), fit.discriminant) for b in fit.prototypes] for x in rows]
    return checks.in_range(np.array(scores), X.dtype, "scores")


def concatenate_fits(fits):
    """Concatenates number by number: the prototypes of each class, and the rows of all embeddings."""
    fits = checks.fits_to_concatenate(fits)
    prototypes = [[b for fit in fits for b in fit.prototypes[g]] for g in range(len(fits[0].prototypes))]
    rows = [row for fit in fits for row in fit.embedding]
    dtypes = fits[0].prototypes.dtype, fits[0].embedding.dtype
    return checks.WsabieFit(np.array(prototypes, dtypes[0]), np.array(rows, dtypes[1]), fits[0].discriminant)


# --- the walk ------------------------------------------------------------------------------------------------------


def differences(fit, x, positive, negative, weight):
    """Central differences of  weight (f_negative - f_positive)  in all prototypes (m, e) and in W (e, d) or None.

    The margin has no slope and is left out. Each term of the scores is subtracted from its shifted self before the sum
    is taken, so that the terms that do not change leave no rounding error.
    """
    b, W, z = fit.prototypes, fit.embedding, _embedded(fit.embedding, x)

    def terms(b, W):
        z = _embedded(W, x)
        scores = _terms(b[negative], z, fit.discriminant), -_terms(b[positive], z, fit.discriminant)
        return weight * np.concatenate(scores)

    in_prototypes = np.zeros_like(b)
    for g, k in product((positive, negative), range(b.shape[1])):
        h = _power_of_two(max(abs(b[g, k]), abs(z[k])))
        in_prototypes[g, k] = _slope(lambda moved: terms(moved, W), b, (g, k), h).sum()
    if W is None:
        return in_prototypes, None
    in_W = np.zeros_like(W)
    for j, k in np.ndindex(W.shape):
        size = max(abs(b[positive, j]), abs(b[negative, j]), abs(z[j]))
        h = _power_of_two(size / abs(x[k]) if x[k] else 0.0)
        in_W[j, k] = _slope(lambda moved: terms(b, moved), W, (j, k), h).sum()
    return in_prototypes, in_W


def walk(X, Y, rule, n_updates, embedding_dim, n_classes, draws, start, gradients=differences):
    """Yields all turns in order. The parameters are float64."""
    (n, d), example = X.shape, checks.row_of(X)
    sets = checks.label_sets(Y, n, n_classes)
    n_updates = checks.count(n_updates, "n_updates")
    fit = checks.wsabie_start(start, sets.n_classes, d, embedding_dim, rule.discriminant, draws)
    for part in ("prototypes", "embedding"):
        if getattr(fit, part) is not None:
            fit = fit._replace(**{part: np.array([_within(row, rule.max_norm) for row in getattr(fit, part)])})
    for _ in range(n_updates):
        t = draws.below(n)
        with np.errstate(over="ignore", invalid="ignore"):  # an overflow is refused later
            turn = _turn(fit, t, example(t), sets.of(t).tolist(), rule, draws, gradients)
        yield turn._replace(used=draws.used)
        fit = turn.after


def chain(last, positive, Q):
    """The first Q classes of the chain of last violators. It ends before a class that it has passed already."""
    passed, g = [], positive
    for _ in range(Q):
        g = int(last[g])
        if g == checks.NONE or g == positive or g in passed:
            break
        passed.append(g)
    return passed


def weight_of(m, trials, weighting):
    """The weight of a step: 1 + 1/2 + ... + 1/r for the rank r = (m - 1) // trials, at least 1; or 1."""
    r = (m - 1) // trials
    return sum(1 / i for i in range(1, r + 1)) if weighting == "harmonic" and r > 1 else 1.0


def _turn(fit, t, x, labels, rule, draws, gradients):
    before, m, looked_at = fit, len(fit.prototypes), []
    fit = fit._replace(steps=fit.steps + 1)
    others = [g for g in range(m) if g not in labels]
    if not labels or not others:
        return Turn(before, fit, t)
    positive = labels[draws.below(len(labels))]

    def violates(g):
        looked_at.append(g)
        z = _embedded(fit.embedding, x)
        scores = (_score(fit.prototypes[c], z, fit.discriminant) for c in (positive, g))
        return checks.finite_number(rule.margin - next(scores) + next(scores), "a difference of scores") > 0

    for v in chain(fit.last_violators, positive, rule.last_violators):
        if v not in labels and violates(v):
            more = np.where(np.arange(m) == positive, fit.skipped + 1, fit.skipped)
            return Turn(before, fit._replace(skipped=more), t, positive, tuple(looked_at))
    fit = fit._replace(skipped=np.where(np.arange(m) == positive, 0, fit.skipped))
    last = fit.last_violators.copy()
    for trial in range(1, (m if rule.sampling == "warp" else 1) + 1):
        g = others[draws.below(len(others))]
        if violates(g):
            last[positive], weight = g, weight_of(m, trial, rule.weighting)
            slopes = gradients(fit, x, positive, g, weight)
            moved = _moved(fit, slopes, rule)._replace(last_violators=last, updates=fit.updates + 1)
            return Turn(before, moved, t, positive, tuple(looked_at), g, weight)
    last[positive] = checks.NONE
    return Turn(before, fit._replace(last_violators=last), t, positive, tuple(looked_at))


def _moved(fit, slopes, rule):
    """The fit after a step of prototypes and W against their gradients, which were taken before the step."""
    prototypes, sums = _descended(fit.prototypes, fit.prototype_sums, slopes[0], rule)
    fit = fit._replace(prototypes=prototypes, prototype_sums=sums)
    if fit.embedding is None:
        return fit
    W, sums = _descended(fit.embedding, fit.embedding_sums, slopes[1], rule)
    return fit._replace(embedding=W, embedding_sums=sums)


def _descended(rows, sums, gradient, rule):
    """Returns (rows after a step against the gradient, sums), row by row. Adagrad has one step size for each row."""
    rows, sums = rows.copy(), sums.copy()
    for i, slope in enumerate(gradient):
        if not slope.any():
            continue
        size = rule.step_size
        if rule.step == "adagrad":
            sums[i] += sum(number * number for number in slope) / len(slope)
            size = rule.step_size / sqrt(sums[i]) if sums[i] > 0 else 0.0
        rows[i] = _within(rows[i] - size * slope, rule.max_norm)
    return rows, sums


def _within(row, max_norm):
    length = sqrt(sum(number * number for number in row))
    return row * (max_norm / length) if length > max_norm else row


def _embedded(W, x):
    return x if W is None else W @ x


def _terms(b, z, discriminant):
    return b * z if discriminant == "linear" else -((b - z) ** 2)


def _score(b, z, discriminant):
    return _terms(b, z, discriminant).sum()


def _slope(loss, point, entry, h):
    above, below = point.copy(), point.copy()
    above[entry] += h
    below[entry] -= h
    return (loss(above) - loss(below)) / (2 * h)


def _power_of_two(size):
    return 2.0 ** np.round(np.log2(size)) if size > 0 else 1.0


# --- what a step does on average -----------------------------------------------------------------------------------


def expected_step(fit_wsabie, X, Y, start, **options):
    """The expected change (of prototypes, of W or None) by one step of the given `fit_wsabie` from `start`.

    All draws are enumerated: every example, every label and every sequence of other classes. The problem must be tiny.
    The options are those of `fit_wsabie`. The number (i + 1/2) / c draws the i-th of c.
    """
    m, e = start.prototypes.shape
    sets, n = checks.label_sets(Y, len(X), m), len(X)
    options = {"embedding_dim": None if start.embedding is None else e, "discriminant": start.discriminant, **options}
    trials, total = 1 if options.get("sampling") == "auc" else m, [0.0, 0.0]
    for t in range(n):
        labels, others = len(sets.of(t)), m - len(sets.of(t))
        for places in product(range(labels), *[range(others)] * trials) if others else ():
            numbers = [(t, n), (places[0], labels), *((place, others) for place in places[1:])]
            draws = np.array([(i + 0.5) / c for i, c in numbers])
            after = fit_wsabie(X, Y, n_classes=m, start=start, draws=draws, n_updates=1, **options)
            chance = 1 / (n * labels * others**trials)
            total[0] += chance * (after.prototypes - start.prototypes)
            if start.embedding is not None:
                total[1] += chance * (after.embedding - start.embedding)
    return total[0], None if start.embedding is None else total[1]


def expected_loss(fit, at, X, Y, *, sampling="warp", weighting="uniform", margin=1.0):
    """The function of `fit` whose negative gradient a step of constant size from `at` follows on average (for Q = 0).

    The mean over examples and their labels of the sum over violators v at `at` and over trials j of
    P(v is found at trial j) w_j [margin - f_label + f_v]_+.  The scores f are those of `fit`; P is computed from `at`.
    """
    m = len(at.prototypes)
    sets, before, now = checks.label_sets(Y, len(X), m), prototype_scores(X, at), prototype_scores(X, fit)
    loss = 0.0
    for t in range(len(X)):
        labels, others = sets.of(t).tolist(), [g for g in range(m) if g not in sets.of(t)]
        for label in labels:
            violators = [g for g in others if margin - before[t, label] + before[t, g] > 0]
            for trial in range(1, (m if sampling == "warp" else 1) + 1):
                chance = (1 - len(violators) / len(others)) ** (trial - 1) / len(others) if others else 0.0
                hinges = sum(max(margin - now[t, label] + now[t, g], 0.0) for g in violators)
                loss += chance * weight_of(m, trial, weighting) * hinges / len(labels) / len(X)
    return loss


def slopes_of(loss, fit):
    """Central differences of loss(fit) in the prototypes and in W or None, with steps too short to cross a kink."""
    b, W = fit.prototypes, fit.embedding
    in_prototypes, in_W = np.zeros_like(b), None if W is None else np.zeros_like(W)
    for entry in np.ndindex(b.shape):
        in_prototypes[entry] = _slope(lambda moved: loss(fit._replace(prototypes=moved)), b, entry, SHORT_STEP)
    for entry in np.ndindex(W.shape) if W is not None else ():
        in_W[entry] = _slope(lambda moved: loss(fit._replace(embedding=moved)), W, entry, SHORT_STEP)
    return in_prototypes, in_W
