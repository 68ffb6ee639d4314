"""A walk that goes on from batch to batch in the same memory, for fits with an embedding.

A batch changes W only in the columns of its features. These columns are kept, so that a batch that ends in numbers out
of range can be undone. A step takes O(e) times the number of entries of its example that are not 0, and a batch O(m e)
more for the prototypes. Only if steps are large or many, and max_norm bounds W, the scales may become so small that
they are multiplied into W. Then all of W is kept.
"""

import numpy as np

from reference import contract

from .embedding import COLLECTED, as_embedding, as_matrix, has_many_entries, settle_embedding
from .label_sets import labelled_examples
from .parts import walk_in_parts
from .prototypes import Point, as_prototypes
from .vectors import SMALLEST_SCALE
from .walk import WalkState, step_rule_of, walk_by_pairs

SETTLED_BELOW = SMALLEST_SCALE**0.5  # scales below it are multiplied into W before a batch, and not in its middle


class WalkInPlace:
    """The state of a walk from a fit (with an embedding), in memory of its own, and the fit without its arrays."""

    def __init__(self, fit):
        W, m = fit.embedding.astype(np.float64), len(fit.prototypes)
        e, d = W.shape
        self.fit, self.undo = fit._replace(prototypes=None, embedding=None), None
        self.state = WalkState(
            as_prototypes(fit.prototypes.astype(np.float64), fit.prototype_sums, False),
            as_embedding(W, fit.embedding_sums, e, False), fit.last_violators.copy(), fit.skipped.copy(),
            np.zeros(m + 1, np.int64), Point(np.empty(e), np.empty(d + 1, np.int64), np.empty(d + 1)),
            np.empty(m + 1, np.int64), np.empty(e),
        )  # fmt: skip
        settle_embedding(self.state.embedding)

    def go_on(self, X, sets, rule, step_rule, generator):
        """Make one step for each example of a batch. Until `keep` is called, `take_back` undoes it, or what was done.

        `rule` and `step_rule` are the options, checked and as the kernels read them. max_norm must be what it was.
        """
        state, size = self.state, X.shape[0]
        if (state.embedding.scales < SETTLED_BELOW).any():
            settle_embedding(state.embedding)
        if has_many_entries(X) and size >= COLLECTED:
            state = state._replace(embedding=state.embedding._replace(late=np.zeros((X.shape[1], COLLECTED))))
        self.undo = _Undo(self, X, generator, _may_settle(X, step_rule))
        draws, data = contract.Draws(None, generator), labelled_examples(X, sets)
        moved = walk_in_parts(
            lambda numbers, count: walk_by_pairs(data, state, step_rule, numbers, count), draws, size,
            len(state.last) + 2,
        )  # fmt: skip
        self.undo.check_range(X.dtype)
        self.fit = self.fit._replace(steps=self.fit.steps + size, updates=self.fit.updates + moved)
        contract.warn_if_frozen(self.fit._replace(skipped=state.skipped), sets, rule.margin)

    def keep(self):
        """Forget how to undo the last batch."""
        self.undo = None

    def take_back(self):
        """Undo the last batch, unless it is kept."""
        if self.undo is not None:
            self.undo.restore()
        self.undo = None

    def as_shapes(self):
        """Returns the fit with arrays of the right shapes, in place of copies. They must not be changed."""
        return self.fit._replace(prototypes=self.state.prototypes.rows, embedding=self.state.embedding.transposed.T)

    def as_fit(self, dtype):
        """Returns a copy of the fit as it is now, in the dtype of the features."""
        state = self.state
        return contract.rounded(
            self.fit._replace(
                prototypes=state.prototypes.rows, embedding=as_matrix(state.embedding),
                prototype_sums=state.prototypes.sums, embedding_sums=state.embedding.sums,
                last_violators=state.last, skipped=state.skipped,
            ),
            dtype,
        )  # fmt: skip


def go_on_in_place(walk, X, Y, generator, n_classes, options):
    """Make one step of a `WalkInPlace` for each example, with the options of `fit_wsabie`."""
    X = contract.features(X)
    sets, rule = contract.label_sets(Y, X.shape[0], n_classes), contract.wsabie_rule(**options)
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


class _Undo:
    """What a batch may change, as it was before: the columns of W of its features, and all that takes O(m e)."""

    def __init__(self, walk, X, generator, changes_all):
        state = walk.state
        W, prototypes = state.embedding, state.prototypes
        self.walk, self.fit, self.state = walk, walk.fit, state
        self.generator, self.random = generator, generator.bit_generator.state
        self.features = np.unique(X.indices) if hasattr(X, "tocsr") and not changes_all else slice(None)
        self.small = [prototypes.rows, prototypes.sums, W.scales, W.squares, W.sums, state.last, state.skipped]
        self.copies, self.columns = [array.copy() for array in self.small], W.transposed[self.features].copy()

    def check_range(self, dtype):
        """Raise ValueError if a number that the batch may have changed is out of range."""
        W = self.state.embedding
        contract.in_range(W.transposed[self.features] * W.scales, dtype, "embedding")
        contract.in_range(self.state.prototypes.rows, dtype, "prototypes")
        contract.in_range(W.sums, np.float64, "embedding_sums")
        contract.in_range(self.state.prototypes.sums, np.float64, "prototype_sums")

    def restore(self):
        """Make the walk and its generator what they were."""
        W, self.walk.fit, self.generator.bit_generator.state = self.state.embedding, self.fit, self.random
        W.transposed[self.features], W.waiting[0] = self.columns, 0
        for array, copy in zip(self.small, self.copies, strict=True):
            array[:] = copy
