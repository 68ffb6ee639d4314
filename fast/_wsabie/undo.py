"""What a batch of a walk in place may change, as it was before."""

import numpy as np

from reference.problems import checks

from .outcomes import NOT_KEPT
from .prototypes import row_log, settle_prototypes


class EmbeddingUndo:
    """Undoes a batch of a walk with an embedding: the columns of W of its features, and all that takes O(m e)."""

    def __init__(self, walk, state, features, generator):
        W, prototypes = state.embedding, state.prototypes
        self.state, self.features, self.start = state, features, _Start(walk, generator)
        self.small = [prototypes.rows, prototypes.sums, W.scales, W.squares, W.sums, state.last, state.skipped]
        self.copies, self.columns = [array.copy() for array in self.small], W.transposed[self.features].copy()

    def finish(self, dtype):
        """Raise ValueError if a number that the batch may have changed is out of range."""
        W = self.state.embedding
        checks.in_range(W.transposed[self.features] * W.scales, dtype, "embedding")
        checks.in_range(self.state.prototypes.rows, dtype, "prototypes")
        checks.in_range(W.sums, np.float64, "embedding_sums")
        checks.in_range(self.state.prototypes.sums, np.float64, "prototype_sums")

    def restore(self):
        """Make the walk and its generator what they were."""
        W = self.state.embedding
        self.start.restore()
        W.transposed[self.features], W.waiting[0] = self.columns, 0
        _write_back(self.small, self.copies)


class PrototypesUndo:
    """Undoes a batch of a walk without an embedding: the prototypes that it moves, and all that takes O(m).

    `state` is that of the batch. Its prototypes have no scales if the examples are dense.
    """

    def __init__(self, walk, state, size, is_sparse, generator):
        self.prototypes, self.start = state.prototypes, _Start(walk, generator)
        self.small = [*self.prototypes[1:], state.last, state.skipped]
        self.copies = [array.copy() for array in self.small]
        none = np.zeros(0)
        walked = self.prototypes if is_sparse else self.prototypes._replace(scales=none, squares=none)
        self.state = state._replace(prototypes=walked, log=row_log(*self.prototypes.rows.shape, 2 * size))

    def finish(self, dtype):
        """Settle the prototypes that moved. Raise ValueError if a number of theirs is out of range."""
        moved = self._moved()
        settle_prototypes(self.prototypes, moved)
        checks.in_range(self.prototypes.sums, np.float64, "prototype_sums")
        for g in moved:
            checks.in_range(self.prototypes.rows[g], dtype, "prototypes")

    def restore(self):
        """Make the walk and its generator what they were."""
        self.start.restore()
        for g in self._moved():
            self.prototypes.rows[g] = self.state.log.rows[self.state.log.places[g]]
        _write_back(self.small, self.copies)

    def _moved(self):
        return np.flatnonzero(self.state.log.places[:-1] != NOT_KEPT)


class _Start:
    """The fit of a walk and the state of its generator, as they were."""

    def __init__(self, walk, generator):
        self.walk, self.fit = walk, walk.fit
        self.generator, self.random = generator, generator.bit_generator.state

    def restore(self):
        self.walk.fit, self.generator.bit_generator.state = self.fit, self.random


def _write_back(arrays, copies):
    for array, copy in zip(arrays, copies, strict=True):
        array[:] = copy
