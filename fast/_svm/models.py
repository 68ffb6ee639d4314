"""What a fit changes, and what it reads: examples with their lists of duals and the weights that belong to them."""

import numpy as np

from .._shared.examples import gram_examples, linear_examples, write_products
from .._shared.threads import in_turn, ranges
from .dual_lists import empty_lists
from .sdca_step import add_duals, work_for

CACHE_LINE = 64  # bytes
NUMBERS_OF_A_SUM = 2**19  # what a thread squares and adds up takes some tenths of a millisecond


def aligned_zeros(shape):
    """Returns zeros that start with a cache line, so that no vector of a row of 8 c weights is in two of them."""
    size = shape[0] * shape[1]
    memory = np.zeros(size + CACHE_LINE // 8)
    first = -memory.ctypes.data % CACHE_LINE // 8
    return memory[first : first + size].reshape(shape)


class LinearModel:
    """Features, and weights in the layout that `weights` describes: (m, d), or (d, m) if the features are CSR."""

    is_linear = True

    def __init__(self, X, y, m, n_jobs):
        self.examples, self.X = linear_examples(X, y)
        self.by_features = hasattr(X, "tocsr")
        d = X.shape[1]
        self._start(m, (d, m) if self.by_features else (m, d), n_jobs)

    def _start(self, m, shape, n_jobs):
        self.n_jobs, self.each = n_jobs, in_turn
        self.m, self.lists, self.work = m, empty_lists(self.X.shape[0], m), work_for(m)
        self.weights, self.is_float32 = aligned_zeros(shape), self.X.dtype == np.float32

    def recompute_weights(self, as_returned):
        """Recompute the weights from the duals; with `as_returned`, from the duals rounded to the dtype of X.

        Each thread adds up the weights of some classes, so that the order of a sum does not depend on their number.
        """
        as_float32 = as_returned and self.is_float32

        def add_to(first, last):
            (self.weights[:, first:last] if self.by_features else self.weights[first:last]).fill(0.0)
            add_duals(self.examples, self.lists, as_float32, self.weights, first, last, work_for(self.m))

        self.each(add_to, ranges(self.m, -(-self.m // self.n_jobs)))

    def scores(self, rows):
        """Returns the scores of some examples, given as a slice."""
        if not self.by_features:
            return self.X[rows].astype(np.float64, copy=False) @ self.weights.T
        scores = np.empty((rows.stop - rows.start, self.m))
        write_products(self.examples.rows, rows.start, self.weights, scores)
        return scores

    def inner_product(self, rows, scores):
        """Returns <duals, scores> of some examples, if |W|^2 is the sum of these."""
        return 0.0

    def squared_norm(self, inner_products):
        """Returns |W|^2."""
        parts = ranges(len(self.weights), max(NUMBERS_OF_A_SUM // self.weights.shape[1], 1))
        return sum(self.each(lambda *rows: np.vdot(self.weights[slice(*rows)], self.weights[slice(*rows)]), parts))

    def result(self):
        """Returns the weights (d, m), as a fit holds them."""
        return np.ascontiguousarray(self.weights if self.by_features else self.weights.T, self.X.dtype)


class KernelModel(LinearModel):
    """Inner products instead of features, and the transposed duals (m, n) instead of weights."""

    is_linear = by_features = False

    def __init__(self, K, y, m, n_jobs):
        self.X = np.ascontiguousarray(np.asarray(K))
        self.examples = gram_examples(self.X, y)
        self._start(m, (m, len(K)), n_jobs)

    def inner_product(self, rows, scores):
        return np.vdot(np.ascontiguousarray(self.weights[:, rows].T), scores)

    def squared_norm(self, inner_products):
        return inner_products

    def result(self):
        return None
