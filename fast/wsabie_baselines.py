"""The twin of `reference.wsabie_baselines`: means in one pass, and compiled one-vs-all steps."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from reference.problems import checks
from reference.problems import wsabie_baselines as problems
from reference.problems.checks import WsabieFit
from reference.problems.checks.types import Array, Matrix

from ._wsabie.class_learners import add_to_class_sums, walk_by_classes
from ._wsabie.label_sets import labelled_examples
from ._wsabie.parts import walk_in_parts
from ._wsabie.prototypes import as_prototypes, as_rows, settle_prototypes

__all__ = ["fit_nearest_means", "fit_one_vs_all"]


@checks.documented_by(problems.fit_nearest_means)
def fit_nearest_means(
    X: Matrix, Y: Matrix, *, n_classes: int | None = None, sample_weight: Array | None = None
) -> WsabieFit:
    """Returns the mean of each class as its prototype.

    Notes
    -----
    The twin of `reference.fit_nearest_means`: one pass over the entries of X. The cost is O(n d), or O(entries + m d)
    for CSR.
    """
    X, sets, sample_weight = problems.fit_nearest_means(X, Y, n_classes=n_classes, sample_weight=sample_weight)
    shares = _shares(sample_weight, sets)
    means = np.zeros((sets.n_classes, X.shape[1]))
    add_to_class_sums(labelled_examples(X, sets), shares, means)
    means /= np.bincount(sets.classes, shares)[:, None]
    return WsabieFit(checks.in_range(means, X.dtype, "prototypes"))


def _shares(sample_weight, sets):
    """The weight of each label of each example, in the order of sets.classes, relative to the largest of its class."""
    if sample_weight is None:
        return np.ones(len(sets.classes))
    of_labels, largest = np.repeat(sample_weight, np.diff(sets.starts)), np.zeros(sets.n_classes)
    np.maximum.at(largest, sets.classes, of_labels)
    return of_labels / largest[sets.classes]


@checks.documented_by(problems.fit_one_vs_all)
def fit_one_vs_all(
    X: Matrix, Y: Matrix, *, negatives: int | Sequence[int] = 1, step: str = "adagrad", margin: float = 1.0,
    step_size: float = 0.1, n_updates: int, seed: int | np.random.Generator = 0, max_norm: float | None = None,
    n_classes: int | None = None, draws: Array | None = None, validation: tuple[Matrix, Matrix] | None = None,
    progress: bool = False,
) -> WsabieFit:  # fmt: skip
    """Train a linear SVM for each class against drawn examples of other classes, by stochastic gradient steps.

    Notes
    -----
    The twin of `reference.fit_one_vs_all`: the same steps. A step takes O(negatives d), or O(negatives) times the
    number of entries of a CSR row. One negative for each positive is much worse than a number that is chosen on
    validation data (Table 8 of the paper).
    """
    X, sets, rule, counts, n_updates, draws, curve, progress = problems.fit_one_vs_all(
        X, Y, negatives=negatives, step=step, margin=margin, step_size=step_size, n_updates=n_updates, seed=seed,
        max_norm=max_norm, n_classes=n_classes, draws=draws, validation=validation, progress=progress,
    )  # fmt: skip
    data = labelled_examples(X, sets)
    with checks.progress_bar(progress, len(counts), "updates") as report:
        for count in counts:
            draws.used, fit = 0, checks.zero_fit(sets.n_classes, X.shape[1])
            fit = _walk(fit, data, hasattr(X, "tocsr"), count, rule, draws, n_updates)
            report(fit.updates)
            curve.ends(checks.rounded(fit, X.dtype))
    return curve.result()


def _walk(fit, data, sparse, negatives, rule, draws, size):
    """The fit after `size` more steps."""
    prototypes = as_prototypes(fit.prototypes, fit.prototype_sums, sparse)
    settle_prototypes(prototypes, np.arange(len(prototypes.scales)))
    options = rule.margin, rule.step_size, rule.max_norm, rule.step == "adagrad"

    def walk(numbers, count):
        return walk_by_classes(data, prototypes, negatives, *options, numbers, count)

    updates = walk_in_parts(walk, draws, size, negatives + 2)  # an example, its label and the negative classes
    return fit._replace(
        prototypes=as_rows(prototypes), prototype_sums=prototypes.sums, steps=fit.steps + size, updates=updates
    )
