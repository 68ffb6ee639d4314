"""Baselines of the Wsabie family: nearest means, and one linear SVM for each class by stochastic gradients.

Both return a fit as `fit_wsabie` does: a prototype for each class, without an embedding.

Source: Paper 003 (Gupta, Bengio, Weston: Training Highly Multiclass Classifiers, 2014), sections 2 and 8.3.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .problems import checks
from .problems import wsabie_baselines as problems
from .problems.checks import WsabieFit
from .problems.checks.types import Array, Matrix

__all__ = ["fit_nearest_means", "fit_one_vs_all"]


@checks.documented_by(problems.fit_nearest_means)
def fit_nearest_means(
    X: Matrix, Y: Matrix, *, n_classes: int | None = None, sample_weight: Array | None = None
) -> WsabieFit:
    r"""Returns the mean of each class as its prototype.

    .. math::

        \arg\min_b \; \sum_i s_i \sum_{g \text{ a label of } i} \|b_g - x_i\|^2

    Here :math:`s_i` is `sample_weight`.

    Notes
    -----
    The cost is O(n d).
    """
    X, sets, sample_weight = problems.fit_nearest_means(X, Y, n_classes=n_classes, sample_weight=sample_weight)
    s, example = np.ones(X.shape[0]) if sample_weight is None else sample_weight, checks.row_of(X)
    members = [[t for t in range(X.shape[0]) if g in sets.of(t)] for g in range(sets.n_classes)]
    with np.errstate(over="ignore"):  # an overflow is refused later
        means = [np.average([example(t) for t in of], 0, s[of] / s[of].max()) for of in members]
    return WsabieFit(checks.in_range(np.array(means), X.dtype, "prototypes"))


@checks.documented_by(problems.fit_one_vs_all)
def fit_one_vs_all(
    X: Matrix, Y: Matrix, *, negatives: int | Sequence[int] = 1, step: str = "adagrad", margin: float = 1.0,
    step_size: float = 0.1, n_updates: int, seed: int | np.random.Generator = 0, max_norm: float | None = None,
    n_classes: int | None = None, draws: Array | None = None, validation: tuple[Matrix, Matrix] | None = None,
    progress: bool = False,
) -> WsabieFit:  # fmt: skip
    r"""Train a linear SVM for each class against drawn examples of other classes, by stochastic gradient steps.

    .. math::

        \text{mean over examples of } \; \max(0, \; \text{margin} - s \langle b_g, x \rangle)
        \quad \text{for each class } g

    Here s = 1 for the examples that have class g as a label, and s = -1 for drawn examples of other classes.

    Notes
    -----
    One negative for each positive is much worse than a number that is chosen on validation data (Table 8 of the paper).
    The cost is O(negatives d) a step.
    """
    X, sets, rule, counts, n_updates, draws, curve, progress = problems.fit_one_vs_all(
        X, Y, negatives=negatives, step=step, margin=margin, step_size=step_size, n_updates=n_updates, seed=seed,
        max_norm=max_norm, n_classes=n_classes, draws=draws, validation=validation, progress=progress,
    )  # fmt: skip
    example = checks.row_of(X)
    with checks.progress_bar(progress, len(counts), "updates") as report:
        for count in counts:
            draws.used, fit = 0, checks.zero_fit(sets.n_classes, X.shape[1])
            for _ in range(n_updates):
                t = draws.below(X.shape[0])
                with np.errstate(over="ignore", invalid="ignore"):  # an overflow is refused later
                    fit = _step(fit, example(t), sets.of(t), count, rule, draws)
            report(fit.updates)
            curve.ends(checks.rounded(fit, X.dtype))
    return curve.result()


def _step(fit, x, labels, count, rule, draws):
    """The fit after one step: x is shown to the positive class, then to the negative ones."""
    fit, m = fit._replace(steps=fit.steps + 1), len(fit.prototypes)
    if not 0 < len(labels) < m:
        return fit
    others = np.setdiff1d(np.arange(m), labels)
    classes_of = {1: [labels[draws.below(len(labels))]], -1: [others[draws.below(len(others))] for _ in range(count)]}
    before, most = fit, checks.LARGEST_FLOAT
    for sign, classes in classes_of.items():
        for g in classes:
            if checks.finite_number(rule.margin - sign * (fit.prototypes[g] @ x), "a difference of scores", most) > 0:
                fit = _moved(fit, g, -sign * x, rule)
    return fit._replace(updates=fit.updates + (fit is not before))


def _moved(fit, g, gradient, rule):
    """The fit after a step of prototype g against the gradient, as in `wsabie`, scaled down to length max_norm."""
    prototypes, sums, size = fit.prototypes.copy(), fit.prototype_sums.copy(), rule.step_size
    if rule.step == "adagrad":
        sums[g] += np.mean(gradient**2)
        size = size / np.sqrt(sums[g]) if sums[g] > 0 else 0.0
    prototypes[g] -= size * gradient
    length = np.linalg.norm(prototypes[g])
    if length > rule.max_norm:
        checks.finite_number(length, "the norm of a prototype", checks.LARGEST_FLOAT)
        prototypes[g] *= rule.max_norm / length
    return fit._replace(prototypes=prototypes, prototype_sums=sums)
