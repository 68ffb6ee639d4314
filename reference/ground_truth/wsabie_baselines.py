"""Nearest means by plain sums, and one-vs-all learners with the gradient of the hinge by finite differences.

Slow and simple. Signatures and results are those of `reference.wsabie_baselines`, where the arguments are explained.
"""

from math import fsum, sqrt
from typing import NamedTuple

import numpy as np

from ..problems import checks


class Look(NamedTuple):
    """One example is shown to one prototype."""

    b: np.ndarray  # the prototype before
    x: np.ndarray
    g: int
    sign: int
    moved: bool


def fit_nearest_means(X, Y, *, n_classes=None, sample_weight=None):
    """Coordinate by coordinate: the sum over the examples of a class, rounded once, divided by their number.

    With weights, the examples and their number are weighted.
    """
    X = checks.features(X)
    rows = (X.toarray() if hasattr(X, "toarray") else X).astype(np.float64)
    sets = checks.sets_of_all_classes(Y, len(rows), n_classes)
    means = []
    weights = checks.weights_of_means(sample_weight, sets)
    for g in range(sets.n_classes):
        members = [t for t in range(len(rows)) if g in sets.of(t)]
        shares = weights[members] / weights[members].max()
        terms = (shares * rows[members].T).tolist()  # of each coordinate
        means.append([fsum(row) / fsum(shares) for row in terms])
    return checks.WsabieFit(checks.in_range(np.array(means), X.dtype, "prototypes"))


def fit_one_vs_all(
    X, Y, *, negatives=1, step="adagrad", margin=1.0, step_size=0.1, n_updates, seed=0, max_norm=None, n_classes=None,
    draws=None, validation=None,
):  # fmt: skip
    """The fit after the last step, for each number of negatives; the best of them."""
    X = checks.features(X)
    sets = checks.label_sets(Y, X.shape[0], n_classes)
    rule = checks.one_vs_all_rule(step, margin, step_size, max_norm)
    counts, accuracy = checks.negatives_to_try(negatives, validation, X.shape[1], sets.n_classes)
    n_updates, draws, best = checks.count(n_updates, "n_updates"), checks.Draws(draws, seed), None
    for count in counts:
        draws.used = 0
        *_, (fit, _) = walk(X, sets, rule, n_updates, count, draws)
        fit = checks.rounded(fit, X.dtype)
        score = 0.0 if accuracy is None else accuracy(fit)
        if best is None or score > best[0]:
            best = score, fit
    return best[1]


def slope(b, x, sign, margin):
    """Central differences in b of  margin - sign <b, x>,  the hinge where it is positive."""
    h = 2.0 ** np.round(np.log2(np.abs(b).max())) if b.any() else 1.0
    slopes = []
    for k in range(len(b)):
        above, below = b.copy(), b.copy()
        above[k] += h
        below[k] -= h
        # The margin and the other coordinates do not change, and are left out.
        slopes.append(-sign * (above[k] * x[k] - below[k] * x[k]) / (above[k] - below[k]))
    return np.array(slopes)


def walk(X, sets, rule, n_updates, count, draws, gradient=slope):
    """Yields (fit, looks) after each step: one Look for the positive class, then `count` Looks for negative ones."""
    fit = checks.zero_fit(sets.n_classes, X.shape[1])
    example = checks.row_of(X)
    for _ in range(n_updates):
        t = draws.below(X.shape[0])
        x = example(t)
        fit, labels, looks = fit._replace(steps=fit.steps + 1), sets.of(t).tolist(), []
        others = [g for g in range(sets.n_classes) if g not in labels]
        if labels and others:
            chosen = [(labels[draws.below(len(labels))], 1)]
            chosen += [(others[draws.below(len(others))], -1) for _ in range(count)]
            for g, sign in chosen:
                missed = rule.margin - sign * (fit.prototypes[g] @ x)
                moves = checks.finite_number(missed, "a difference of scores") > 0
                looks.append(Look(fit.prototypes[g], x, g, sign, moves))
                fit = _moved(fit, g, gradient(fit.prototypes[g], x, sign, rule.margin), rule) if moves else fit
        fit = fit._replace(updates=fit.updates + any(look.moved for look in looks))
        yield fit, looks


def _moved(fit, g, slope, rule):
    prototypes, sums, size = fit.prototypes.copy(), fit.prototype_sums.copy(), rule.step_size
    if rule.step == "adagrad":
        sums[g] += sum(number * number for number in slope) / len(slope)
        size = rule.step_size / sqrt(sums[g]) if sums[g] > 0 else 0.0
    prototypes[g] -= size * slope
    length = sqrt(sum(number * number for number in prototypes[g]))
    if length > rule.max_norm:
        prototypes[g] *= rule.max_norm / length
    return fit._replace(prototypes=prototypes, prototype_sums=sums)
