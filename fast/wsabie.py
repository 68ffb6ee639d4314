"""The twin of `reference.wsabie`: compiled steps that read only the entries of an example that are not 0."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from reference.problems import checks
from reference.problems import wsabie as problems
from reference.problems.checks import AUC, WARP, WSABIE, WSABIE_PP, WsabieFit
from reference.problems.checks.types import Array, Floats, Matrix

from ._wsabie.distances import prototype_scorer
from ._wsabie.embedding import as_embedding, as_matrix, has_many_entries, settle_embedding
from ._wsabie.label_sets import labelled_examples
from ._wsabie.parts import walk_in_parts
from ._wsabie.prototypes import Point, as_prototypes, as_rows, no_log, settle_prototypes
from ._wsabie.warp import WalkState, step_rule_of, walk_by_pairs
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

    Notes
    -----
    The twin of `reference.fit_wsabie`: the same steps, up to rounding. Three corrections of Table 3: the gradient in W
    is :math:`2 (b_q - b_p) x^\top` (printed: W x in place of x), mean squares are over the e coordinates of a
    prototype, and steps are divided by the root of the sum, as in equation (16). A zero gradient moves nothing.

    W is stored transposed, so that zeros of an example cost nothing, and with a scale for each row, so that scaling a
    row down is one multiplication. For dense examples, 8 changes of W are made in one pass. A step takes O(e) times the
    number of entries of the example that are not 0, and O(e) more for each drawn class. Without an embedding, each
    class takes O(d), or the number of entries of a CSR row. Memory O(m e + e d + m).

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
        fit = _cut(fit, rule.max_norm)
    data, step_rule = labelled_examples(X, sets), step_rule_of(rule, sets.n_classes)
    state = _state(fit, hasattr(X, "tocsr"), has_many_entries(X))
    with checks.progress_bar(progress, len(stages), "updates") as report:
        for size in stages:
            fit = _fit_after(state, fit, size, _walk(data, state, step_rule, draws, size))
            report(fit.updates)
            if curve.ends(checks.rounded(fit, X.dtype)):
                break
    checks.warn_if_frozen(fit, sets, rule.margin)
    return curve.result()


@checks.documented_by(problems.prototype_scores)
def prototype_scores(X: Matrix, fit: WsabieFit) -> Floats:
    """Returns the scores of all classes for each example.

    Notes
    -----
    The twin of `reference.prototype_scores`, by products of matrices. A squared distance that is small beside the
    squared norms of the prototype and z is computed again from their difference. The cost is O(n e (d + m)).
    """
    X, fit = problems.prototype_scores(X, fit)
    return prototype_scorer(X, fit)(0, X.shape[0])


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


# --- a walk --------------------------------------------------------------------------------------------------------


def _state(fit, sparse, collects):
    """The state of a walk from this fit, in memory of its own."""
    m, e = fit.prototypes.shape
    prototypes = as_prototypes(fit.prototypes, fit.prototype_sums, sparse and fit.embedding is None)
    embedding = as_embedding(fit.embedding, fit.embedding_sums, e, collects)
    most = 1 + (e if fit.embedding is None else fit.embedding.shape[1])  # entries of an example, and one place more
    point = Point(np.empty(e), np.empty(most, np.int64), np.empty(most))
    return WalkState(
        prototypes, embedding, fit.last_violators.copy(), fit.skipped.copy(), np.zeros(m + 1, np.int64),
        point, np.empty(m + 1, np.int64), np.empty(e), no_log(),
    )  # fmt: skip


def _walk(data, state, step_rule, draws, size):
    """Make `size` steps. Returns how many of them moved something."""
    settle_embedding(state.embedding)
    settle_prototypes(state.prototypes, np.arange(len(state.prototypes.scales)))
    most = len(state.last) + 2  # an example, its label, and as many classes as there are

    def walk(numbers, count):
        return walk_by_pairs(data, state, step_rule, numbers, count)

    return walk_in_parts(walk, draws, size, most)


def _fit_after(state, fit, size, updates):
    """The fit after `size` more steps, with copies of the state: the walk goes on in its memory."""
    return fit._replace(
        prototypes=as_rows(state.prototypes),
        embedding=None if fit.embedding is None else as_matrix(state.embedding),
        prototype_sums=state.prototypes.sums.copy(),
        embedding_sums=None if fit.embedding is None else state.embedding.sums.copy(),
        last_violators=state.last.copy(),
        skipped=state.skipped.copy(),
        steps=fit.steps + size,
        updates=fit.updates + updates,
    )


def _cut(fit, max_norm):
    """The fit whose prototypes and rows of W are scaled down to length max_norm where they are longer."""
    if max_norm == np.inf:
        return fit
    W = None if fit.embedding is None else _within(fit.embedding, max_norm)
    return fit._replace(prototypes=_within(fit.prototypes, max_norm), embedding=W)


def _within(rows, max_norm):
    lengths = checks.finite_array(np.linalg.norm(rows, axis=1), "the norms of prototypes and of rows of W")
    factors = np.divide(max_norm, lengths, out=np.ones_like(lengths), where=lengths > max_norm)
    return rows * factors[:, None]
