"""A walk that goes on from batch to batch in the same memory.

With an embedding, a batch changes W only in the columns of its features. These columns are kept, so that a batch that
ends in numbers out of range can be undone. A step takes O(e) times the number of entries of its example that are not 0,
and a batch O(m e) more for the prototypes. Only if steps are large or many, and max_norm bounds W, the scales may
become so small that they are multiplied into W. Then all of W is kept.

Without an embedding, a step moves two prototypes. They are kept when they move for the first time in a batch. A step
takes what it takes in `fit_wsabie`, a prototype that moves O(d) more, and a batch O(m) more.
"""

import numpy as np

from reference.problems import checks

from .embedding import COLLECTED, as_embedding, as_matrix, has_many_entries, settle_embedding
from .label_sets import labelled_examples
from .parts import walk_in_parts
from .prototypes import Point, as_prototypes, no_log, settle_prototypes
from .undo import EmbeddingUndo, PrototypesUndo
from .vectors import SMALLEST_SCALE
from .warp import WalkState, step_rule_of, walk_by_pairs

SETTLED_BELOW = SMALLEST_SCALE**0.5  # scales below it are multiplied into W before a batch, and not in its middle


class _WalkInPlace:
    """Base class. `state` is that of the walk between batches, and `fit` the fit without its arrays.

    `_begin` returns what undoes a batch, with the `state` in which the batch walks.
    """

    def __init__(self, fit, prototypes, embedding, d):
        m, e = prototypes.rows.shape
        self.fit, self.undo = fit._replace(prototypes=None, embedding=None), None
        self.state = WalkState(
            prototypes, embedding, fit.last_violators.copy(), fit.skipped.copy(), np.zeros(m + 1, np.int64),
            Point(np.empty(e), np.empty(d + 1, np.int64), np.empty(d + 1)), np.empty(m + 1, np.int64), np.empty(e),
            no_log(),
        )  # fmt: skip

    def go_on(self, X, sets, rule, step_rule, generator):
        """Make one step for each example of a batch. Until `keep` is called, `take_back` undoes it, or what was done.

        `rule` and `step_rule` are the options, checked and as the kernels read them. max_norm must be what it was.
        """
        size = X.shape[0]
        self.undo = self._begin(X, step_rule, generator)
        state, draws, data = self.undo.state, checks.Draws(None, generator), labelled_examples(X, sets)
        moved = walk_in_parts(
            lambda numbers, count: walk_by_pairs(data, state, step_rule, numbers, count), draws, size,
            len(state.last) + 2,
        )  # fmt: skip
        self.undo.finish(X.dtype)
        self.fit = self.fit._replace(steps=self.fit.steps + size, updates=self.fit.updates + moved)
        checks.warn_if_frozen(self.fit._replace(skipped=state.skipped), sets, rule.margin)

    def keep(self):
        """Forget how to undo the last batch."""
        self.undo = None

    def take_back(self):
        """Undo the last batch, unless it is kept."""
        if self.undo is not None:
            self.undo.restore()
        self.undo = None

    def as_fit(self, dtype):
        """Returns a copy of the fit as it is now, in the dtype of the features."""
        state, shapes = self.state, self.as_shapes()
        is_embedded = shapes.embedding is not None
        return checks.rounded(
            shapes._replace(
                embedding=as_matrix(state.embedding) if is_embedded else None,
                embedding_sums=state.embedding.sums if is_embedded else None,
                prototype_sums=state.prototypes.sums, last_violators=state.last, skipped=state.skipped,
            ),
            dtype,
        )  # fmt: skip


class WalkWithEmbedding(_WalkInPlace):
    """A walk from a fit with an embedding, in memory of its own."""

    def __init__(self, fit):
        W = fit.embedding.astype(np.float64)
        prototypes = as_prototypes(fit.prototypes.astype(np.float64), fit.prototype_sums, False)
        super().__init__(fit, prototypes, as_embedding(W, fit.embedding_sums, len(W), False), W.shape[1])
        settle_embedding(self.state.embedding)

    def _begin(self, X, step_rule, generator):
        state = self.state
        if (state.embedding.scales < SETTLED_BELOW).any():
            settle_embedding(state.embedding)
        if has_many_entries(X) and X.shape[0] >= COLLECTED:
            state = state._replace(embedding=state.embedding._replace(late=np.zeros((X.shape[1], COLLECTED))))
        few = hasattr(X, "tocsr") and not _may_settle(X, step_rule)
        return EmbeddingUndo(self, state, np.unique(X.indices) if few else slice(None), generator)

    def as_shapes(self):
        """Returns the fit with arrays of the right shapes, in place of copies. They must not be changed."""
        return self.fit._replace(prototypes=self.state.prototypes.rows, embedding=self.state.embedding.transposed.T)


class WalkOfPrototypes(_WalkInPlace):
    """A walk from a fit without an embedding, in memory of its own. Between batches all prototypes are settled."""

    def __init__(self, fit):
        m, d = fit.prototypes.shape
        prototypes = as_prototypes(fit.prototypes.astype(np.float64), fit.prototype_sums, True)
        super().__init__(fit, prototypes, as_embedding(None, None, d, False), d)
        settle_prototypes(prototypes, np.arange(m))

    def _begin(self, X, step_rule, generator):
        return PrototypesUndo(self, self.state, X.shape[0], hasattr(X, "tocsr"), generator)

    def as_shapes(self):
        """Returns the fit with prototypes of the right shape, in place of a copy. They must not be changed."""
        return self.fit._replace(prototypes=self.state.prototypes.rows)


def walk_in_place(fit):
    """Returns a walk from this fit, which has memory of its own."""
    return WalkOfPrototypes(fit) if fit.embedding is None else WalkWithEmbedding(fit)


def go_on_in_place(walk, X, Y, generator, n_classes, options):
    """Make one step of a `walk_in_place` for each example, with the options of `fit_wsabie`."""
    X = checks.features(X)
    sets, rule = checks.label_sets(Y, X.shape[0], n_classes), checks.wsabie_rule(**options)
    walk.go_on(X, sets, rule, step_rule_of(rule, sets.n_classes), generator)


def _may_settle(X, rule):
    """Whether a batch could make scales of W so small that they are multiplied into W, which changes all of W.

    A step divides a scale by at most 1 + |change of the row| / max_norm. The change is step_size times the gradient,
    of at most 4 weight max_norm |x|, or with adagrad at most step_size sqrt(d).
    """
    if rule.max_norm == np.inf:
        return False
    with np.errstate(over="ignore"):
        length = np.sqrt(X.multiply(X).sum(axis=1).max()) if hasattr(X, "tocsr") else np.inf
        change = np.sqrt(X.shape[1]) / rule.max_norm if rule.adagrad else 4 * rule.weights.max() * float(length)
        change = change if length < np.inf else np.inf
        return not X.shape[0] * np.log1p(rule.step_size * change) < np.log(SETTLED_BELOW / SMALLEST_SCALE)
